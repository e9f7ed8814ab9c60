/** Unawaited calls in a transaction, which would make the order of statements accidental. */
import ts from 'typescript'
import { below, lineOf, nodesOf, type Source, typescript } from './sources.ts'

/** A transaction's methods that send a statement and return a promise. */
const METHODS = ['all', 'one', 'maybe', 'run', 'inOrder', 'raw']

/** Functions that await the promise passed to them. */
const AWAITING = ['done']

type Function = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression

/** Calls started but not awaited, and calls started together, as `path:line`. */
export function unawaited(files = below(typescript, 'server/src')): string[] {
  const promising = new Promising(files)
  const found = files.flatMap(file =>
    [...nodesOf(file)]
      .filter(node => ts.isCallExpression(node) && isFault(node, promising))
      .map(node => `${file.path}:${lineOf(file, node)}`),
  )
  return [...new Set(found)]
}

function isFault(call: ts.CallExpression, promising: Promising): boolean {
  if (isTogether(call)) return call.arguments.some(mentionsTx)
  if (isOverList(call)) return call.arguments.some(arg => isWorker(arg, promising))
  return isPromising(call, promising) && !isAwaited(call)
}

/** `Promise.all` and similar. */
function isTogether({ expression }: ts.CallExpression): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.expression.getText() === 'Promise'
}

function isOverList({ expression }: ts.CallExpression): boolean {
  return (
    ts.isPropertyAccessExpression(expression) &&
    ['map', 'flatMap', 'forEach', 'from'].includes(expression.name.text)
  )
}

/** A function that starts a call in a transaction and returns before it has finished. */
function isWorker(node: ts.Expression, promising: Promising): boolean {
  if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) return false
  const isAsync = node.modifiers?.some(m => m.kind === ts.SyntaxKind.AsyncKeyword) ?? false
  return isAsync ? mentionsTx(node.body) : returnsPromising(node, promising)
}

function isPromising(node: ts.Node, promising: Promising): boolean {
  if (!ts.isCallExpression(node)) return false
  const { expression } = node
  if (ts.isPropertyAccessExpression(expression) && expression.expression.getText() === 'tx') {
    return METHODS.includes(expression.name.text)
  }
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression
  const isKnown = promising.has(name.getText(), node.getSourceFile().fileName)
  return isKnown && node.arguments.some(arg => arg.getText() === 'tx')
}

/** Awaited, or returned to a caller that must await it. */
function isAwaited(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return isAwaited(parent.parent)
  if (isTransparent(parent)) return isAwaited(parent)
  if (ts.isCallExpression(parent)) return AWAITING.includes(parent.expression.getText())
  return ts.isAwaitExpression(parent) || ts.isReturnStatement(parent) || ts.isArrowFunction(parent)
}

function isTransparent(node: ts.Node): boolean {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isConditionalExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    (ts.isBinaryExpression(node) && /^(&&|\|\||\?\?)$/.test(node.operatorToken.getText()))
  )
}

function mentionsTx(node: ts.Node): boolean {
  if (ts.isIdentifier(node) && node.text === 'tx') return true
  return node.forEachChild(child => mentionsTx(child) || undefined) ?? false
}

/** Functions that take a transaction and return a promise; a file's own take precedence. */
class Promising {
  readonly #own = new Set<string>()
  readonly #promising = new Set<string>()

  has(name: string, path: string): boolean {
    const own = `${path} ${name}`
    return this.#promising.has(this.#own.has(own) ? own : name)
  }

  constructor(files: readonly Source[]) {
    const takers = files.flatMap(file =>
      [...nodesOf(file)].flatMap(namedTaker).map(found => ({ ...found, path: file.path })),
    )
    for (const { name, path } of takers) this.#own.add(`${path} ${name}`)
    for (let before = -1; this.#promising.size > before; ) {
      before = this.#promising.size
      for (const { name, path, taker } of takers) {
        if (!saysPromise(taker) && !returnsPromising(taker, this)) continue
        this.#promising.add(name).add(`${path} ${name}`)
      }
    }
  }
}

function namedTaker(node: ts.Node): { name: string; taker: Function }[] {
  const [name, taker] =
    ts.isVariableDeclaration(node) && node.initializer
      ? [node.name.getText(), node.initializer]
      : [ts.isFunctionDeclaration(node) ? node.name?.text : undefined, node]
  return name !== undefined && isFunction(taker) && takesTx(taker) ? [{ name, taker }] : []
}

function isFunction(node: ts.Node): node is Function {
  return ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node)
}

function takesTx({ parameters }: Function): boolean {
  return parameters.some(p => p.name.getText() === 'tx' || p.type?.getText() === 'Tx')
}

function saysPromise({ modifiers, type, asteriskToken }: Function): boolean {
  // A generator sends nothing until its first value is requested.
  if (asteriskToken) return false
  const isAsync = modifiers?.some(m => m.kind === ts.SyntaxKind.AsyncKeyword) ?? false
  return isAsync || /^Promise</.test(type?.getText() ?? '')
}

function returnsPromising({ body }: Function, promising: Promising): boolean {
  if (!body) return false
  if (!ts.isBlock(body)) return isPromising(body, promising)
  const isReturned = (node: ts.Node): boolean => {
    if (isFunction(node)) return false
    if (ts.isReturnStatement(node) && node.expression && isPromising(node.expression, promising)) {
      return true
    }
    return node.forEachChild(child => isReturned(child) || undefined) ?? false
  }
  return isReturned(body)
}
