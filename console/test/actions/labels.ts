/** Finds the labels of the console's actions in its source files. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const PAGES = fileURLToPath(new URL('../../src/pages/', import.meta.url))

/** An action's label in a page: its full text, or its prefix where a variable part follows. */
export interface Label {
  readonly file: string
  readonly text: string
  readonly goesOn: boolean
}

/** The labels of every `<Action>`; both labels where the code picks one of two. */
export function actionLabels(): Label[] {
  const files = readdirSync(PAGES).filter(name => name.endsWith('.tsx'))
  return files.flatMap(file => {
    const text = readFileSync(PAGES + file, 'utf8')
    const { Latest } = ts.ScriptTarget
    const source = ts.createSourceFile(file, text, Latest, true, ts.ScriptKind.TSX)
    return actionsIn(source).flatMap(action => labelsOf(file, source, action))
  })
}

type Element = ts.JsxSelfClosingElement | ts.JsxOpeningElement

function actionsIn(node: ts.Node): Element[] {
  const own =
    (ts.isJsxSelfClosingElement(node) || ts.isJsxOpeningElement(node)) &&
    node.tagName.getText() === 'Action'
      ? [node]
      : []
  return [...own, ...node.getChildren().flatMap(actionsIn)]
}

function labelsOf(file: string, source: ts.SourceFile, action: Element): Label[] {
  const found = action.attributes.properties
    .map(labelIn)
    .find(expression => expression !== undefined)
  if (!found) throw new Error(`${file}: an action without a label`)
  const texts = ts.isIdentifier(found) ? firstsOf(source, 'MOVES') : textsIn(found)
  if (texts.length === 0) throw new Error(`${file}: unreadable label ${found.getText()}`)
  const goesOn = ts.isTemplateExpression(found)
  return texts.map(text => ({ file, text: text.trim(), goesOn }))
}

/** The label expression given by an attribute, or by an object spread into the attributes. */
function labelIn(attribute: ts.JsxAttributeLike): ts.Expression | undefined {
  if (ts.isJsxSpreadAttribute(attribute)) {
    const { expression } = attribute
    if (!ts.isObjectLiteralExpression(expression)) return undefined
    const label = expression.properties.find(one => one.name?.getText() === 'label')
    return label && ts.isPropertyAssignment(label) ? label.initializer : undefined
  }
  if (attribute.name.getText() !== 'label') return undefined
  const value = attribute.initializer
  if (value && ts.isJsxExpression(value)) return value.expression
  return value && ts.isStringLiteral(value) ? value : undefined
}

function textsIn(label: ts.Expression): string[] {
  if (ts.isStringLiteral(label)) return [label.text]
  if (ts.isTemplateExpression(label)) return [label.head.text]
  if (ts.isConditionalExpression(label)) {
    return [...textsIn(label.whenTrue), ...textsIn(label.whenFalse)]
  }
  return []
}

/** The first text of each entry of a table that the file declares. */
function firstsOf(node: ts.Node, table: string): string[] {
  if (ts.isVariableDeclaration(node) && node.name.getText() === table) {
    const firsts: string[] = []
    const walk = (child: ts.Node) => {
      if (ts.isArrayLiteralExpression(child))
        firsts.push((child.elements[0] as ts.StringLiteral).text)
      else child.getChildren().forEach(walk)
    }
    walk(node)
    return firsts
  }
  return node.getChildren().flatMap(child => firstsOf(child, table))
}
