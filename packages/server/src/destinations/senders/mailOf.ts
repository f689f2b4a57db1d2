import type { Event } from "@edp/domain/events/Event"
import { eventWords } from "./eventWords.ts"

/** A mail's words, as plain text and as a page. */
export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escaped = (text: string) => text.replace(/[&<>"']/gu, (character) => escapes[character]!)

const cell = "padding:4px 12px 4px 0;vertical-align:top;text-align:left"

/**
 * The mail that tells of an event.
 *
 * @param label The destination's name, which tells why the mail came.
 */
export const mailOf = (event: Event, label: string | null): Mail => {
  const { headline, facts } = eventWords(event)
  const reason = `Sent because ${label === null ? "a destination" : `the destination "${label.replace(/\s+/gu, " ")}"`} subscribes to ${event.type}.`
  const rows = facts
    .map(
      ([name, value]) =>
        `<tr><th scope="row" style="${cell}">${escaped(name)}</th><td style="${cell}">${escaped(value)}</td></tr>`
    )
    .join("\n")
  return {
    subject: headline,
    text: `${headline}\n\n${facts.map(([name, value]) => `${name}: ${value}`).join("\n")}\n\n${reason}\n`,
    html: `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(headline)}</title></head>
<body style="font-family:sans-serif;font-size:14px;color:#1a1a1a">
<h1 style="font-size:18px">${escaped(headline)}</h1>
<table role="presentation" style="border-collapse:collapse">
${rows}
</table>
<p style="color:#595959">${escaped(reason)}</p>
</body>
</html>
`
  }
}
