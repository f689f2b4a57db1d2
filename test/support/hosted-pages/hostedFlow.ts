import { expect } from "vitest"

/** Follows the hosted pages without a browser, as a person without JavaScript does, and keeps cookies. */
export interface Visit {
  /** Opens an address. Redirects are not followed; `next` is where they lead. */
  readonly open: (address: string) => Promise<Visited>
  readonly post: (address: string, form: ReadonlyArray<readonly [name: string, value: string]>) => Promise<Visited>
}

export interface Visited {
  readonly status: number
  readonly text: string
  readonly next: string | null
}

/** With `base` every page is asked there, whatever public address the platform names. The headers go with each request. */
export const startVisit = (base?: string, headers: Readonly<Record<string, string>> = {}): Visit => {
  const here = (address: string) => {
    const { pathname, search } = new URL(address)
    return base === undefined ? address : `${base}${pathname}${search}`
  }
  const cookies = new Map<string, string>()
  const visit = async (address: string, init: RequestInit): Promise<Visited> => {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(here(address), {
      ...init,
      redirect: "manual",
      headers: { ...headers, ...init.headers, ...(cookie !== "" && { cookie }) }
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/u.exec(line)!
      cookies.set(name!, value!)
    }
    const target = response.headers.get("location") ?? response.headers.get("refresh")?.replace(/^\d+; url=/u, "")
    return {
      status: response.status,
      text: await response.text(),
      next: target === undefined ? null : new URL(target, here(address)).href
    }
  }
  return {
    open: (address) => visit(address, {}),
    post: (address, form) =>
      visit(address, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(form.map(([name, value]) => [name, value])).toString()
      })
  }
}

/** The inputs of a page of a type, each with its name and value. */
const inputs = (text: string, type: string) =>
  Array.from(text.matchAll(new RegExp(`<input\\b[^>]*\\btype="${type}"[^>]*>`, "gu")), ([tag]) => ({
    name: /\bname="([^"]+)"/u.exec(tag)![1]!,
    value: /\bvalue="([^"]*)"/u.exec(tag)![1]!
  }))

/** The hidden fields of a page with their values. */
export const hiddenFields = (text: string) => inputs(text, "hidden").map(({ name, value }) => [name, value] as const)

/** The values of the checkboxes with a name. */
export const offered = (text: string, name: string): ReadonlyArray<string> =>
  inputs(text, "checkbox").flatMap((input) => (input.name === name ? [input.value] : []))

/** Sends the form in which a person chooses what to connect, with all that can be, and with more fields where the page asks for them. */
export const chooseOffered = async (
  visit: Visit,
  link: string,
  more: ReadonlyArray<readonly [string, string]> = []
) => {
  const choice = await visit.open(link)
  const devices = offered(choice.text, "device").map((device) => ["device", device] as const)
  return { choice, finished: await visit.post(`${link}/devices`, [...devices, ...more]) }
}

type Decision = "approve" | "deny" | "fail"

/** Signs in on the pages of the simulated manufacturer, and returns the address of the callback. */
export const signInAtSimulator = async (
  visit: Visit,
  authorizationUrl: string,
  { account = "sunny", decision = "approve" }: { readonly account?: string; readonly decision?: Decision } = {}
): Promise<string> => {
  const page = await visit.open(authorizationUrl)
  const chosen = await visit.post(authorizationUrl.split("?")[0]!, [
    ...hiddenFields(page.text),
    ["account", account],
    ["decision", decision]
  ])
  expect(chosen.next, chosen.text).toContain("/oauth/callback")
  return chosen.next!
}

/** Agrees on the consent page of a session, signs in at the simulator, and returns the address of the callback. */
export const agreeAndSignIn = async (
  visit: Visit,
  link: string,
  account: string,
  decision: Decision = "approve"
): Promise<string> => {
  const agreed = await visit.post(`${link}/consent`, [["granted", "yes"]])
  expect(agreed.next, agreed.text).toContain("/adapters/simulator/oauth/authorize")
  return signInAtSimulator(visit, agreed.next!, { account, decision })
}

/** Goes through a headless session at the simulator, and returns the URL to which the person is sent on. */
export const signInHeadless = async (baseUrl: string, authorizationUrl: string): Promise<URL> => {
  const visit = startVisit(baseUrl)
  const returned = await visit.open(await signInAtSimulator(visit, authorizationUrl))
  expect(returned.next, returned.text).not.toBeNull()
  return new URL(returned.next!)
}
