import { createHash } from "node:crypto"
import type { Language } from "@edp/domain/shared/Language"
import { messages } from "./messages.ts"

export interface ListedAccount {
  readonly id: string
  readonly name: string
  readonly description: string
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const escape = (text: string) => text.replace(/[&<>"']/g, (character) => escapes[character]!)

const style = `
:root { color-scheme: light dark; --line: light-dark(#c4c8cf, #4a4f58); --accent: light-dark(#0b57d0, #a8c7fa); --on: light-dark(#fff, #062e6f) }
* { box-sizing: border-box }
html { scroll-padding-bottom: 11rem }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1a1c1f, #e6e7ea); background: light-dark(#fff, #17181b) }
main { max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .5rem }
fieldset { border: 1px solid var(--line); border-radius: .5rem; margin: 1.5rem 0; padding: .25rem 1rem }
legend { padding: 0 .25rem; font-weight: 600 }
.account { display: flex; gap: .75rem; padding: .625rem 0; border-bottom: 1px solid var(--line); cursor: pointer }
.account:last-child { border: 0 }
.account input { flex: none; width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; accent-color: var(--accent) }
.account b, .account span { display: block }
input[type=text] { width: 100%; font: inherit; padding: .5rem; border: 1px solid light-dark(#6b7280, #9aa0a9); border-radius: .25rem; color: inherit; background: transparent }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; position: sticky; bottom: 0; padding: .75rem 0; background: inherit }
main, form { background: inherit }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.25rem; border: 1px solid var(--accent); border-radius: .5rem; color: var(--accent); background: transparent; cursor: pointer }
button[value=approve] { color: var(--on); background: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.problem { border-left: 4px solid light-dark(#b3261e, #f2b8b5); padding-left: .75rem; font-weight: 600 }
`

const styleHash = createHash("sha256").update(style).digest("base64")

/**
 * Nothing is loaded, framed or run. Forms lead to this page and, by its redirect, to the platform.
 *
 * @param platform The origin of the platform, which may not be the address that the person sees.
 */
export const pageHeaders = (platform: string): Readonly<Record<string, string>> => ({
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; form-action 'self' ${platform}; base-uri 'none'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-store"
})

const document = (language: Language, body: string) => `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${escape(messages[language].title)}</title>
    <link rel="icon" href="data:,">
    <style>${style}</style>
  </head>
  <body>
    <main>
${body}
    </main>
  </body>
</html>
`

const radio = ({ description, id, name }: ListedAccount, chosen: string) => `          <label class="account">
            <input type="radio" name="account" value="${escape(id)}"${id === chosen ? " checked" : ""}>
            <span><b>${escape(name)}</b><span>${escape(description)}</span></span>
          </label>`

/** The page on which a person signs in and decides. `request`: the parameters of the authorization request. */
export const signInPage = (
  language: Language,
  request: Readonly<Record<string, string>>,
  accounts: ReadonlyArray<ListedAccount>,
  isUnknown: boolean
): string => {
  const t = messages[language]
  const hidden = Object.entries(request).map(
    ([name, value]) => `        <input type="hidden" name="${escape(name)}" value="${escape(value)}">`
  )
  return document(
    language,
    `      <h1>${escape(t.title)}</h1>
      <p>${escape(t.intro)}</p>
      <p>${escape(t.asks)}</p>
${isUnknown ? `      <p class="problem" role="alert">${escape(t.unknownAccount)}</p>\n` : ""}      <form method="post" action="/adapters/simulator/oauth/authorize">
${hidden.join("\n")}
        <fieldset>
          <legend>${escape(t.accounts)}</legend>
${accounts.map((account) => radio(account, accounts[0]?.id ?? "")).join("\n")}
        </fieldset>
        <p>
          <label for="other">${escape(t.other)}</label>
          <input type="text" id="other" name="other" maxlength="100" autocomplete="off" aria-describedby="other-help">
          <span id="other-help">${escape(t.otherHelp)}</span>
        </p>
        <div class="buttons">
          <button type="submit" name="decision" value="approve">${escape(t.approve)}</button>
          <button type="submit" name="decision" value="deny">${escape(t.deny)}</button>
          <button type="submit" name="decision" value="fail">${escape(t.fail)}</button>
        </div>
      </form>`
  )
}

/** The page for a request that must not be redirected anywhere. */
export const badRequestPage = (language: Language, problem: string): string =>
  document(
    language,
    `      <h1>${escape(messages[language].badRequest)}</h1>
      <p>${escape(problem)}</p>`
  )
