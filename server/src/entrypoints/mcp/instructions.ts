/** The instructions an agent receives when it connects. */

export function instructions({ business_date }: { business_date: string }): string {
  return `Headroom lends money to companies on behalf of a partner. The business day is
${business_date}; rules go by it, not by your own clock (resource headroom://clock).

Units: money is integer cents in euros (12345 = 123.45 €); rates named *_rate are percent a day
(0.05 = 0.05 % a day); days are read as Europe/Paris days; ids are UUIDs; countries are ISO codes.
Limits: wallet financing runs at most 45 days, invoice financing 1 to 120 days; an amount never
exceeds the balance_available of the borrower's credit line. Lists answer pages: pass the cursor
of next_page.

Reading is free within your key's scopes. Every tool that writes needs an approved decision:
1. proposeDecision with title, rationale and operations [{method, path, body}] in their order,
   written exactly as they will be sent. {{step.1.json.id}} in a later path or body stands for a
   field of the answer of step 1.
2. A person reviews it. Read it with getDecision until it is APPROVED; nothing else lets you write.
3. Call each tool with decision_id and the planned path fields and body, references replaced by
   the recorded values (operations[n].response.json of getDecision). Each step once, in order.
A refusal carries a code and says what to do (resource headroom://problems). A step that failed
stays open. Repeating a call with the same idempotency_key is safe.
More: resources headroom://docs/concepts, headroom://docs/agents, headroom://docs/machines.`
}
