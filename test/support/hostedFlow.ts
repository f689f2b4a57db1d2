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

/** The hidden fields of a page with their values. */
export const hiddenFields = (text: string) =>
  Array.from(
    text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/gu),
    ([, name, value]) => [name!, value!] as const
  )

/** The values of the checkboxes with a name. */
export const offered = (text: string, name: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(new RegExp(`type="checkbox" name="${name}" value="([^"]+)"`, "gu")), ([, value]) => value!)

/** Agrees, signs in at the simulator with an account, and returns the address of the callback. */
export const signInAtSimulator = async (
  visit: Visit,
  link: string,
  account: string,
  decision: "approve" | "deny" | "fail" = "approve"
): Promise<string> => {
  const agreed = await visit.post(`${link}/consent`, [["granted", "yes"]])
  expect(agreed.next, agreed.text).toContain("/adapters/simulator/oauth/authorize")
  const page = await visit.open(agreed.next!)
  const chosen = await visit.post(agreed.next!.split("?")[0]!, [
    ...hiddenFields(page.text),
    ["account", account],
    ["decision", decision]
  ])
  expect(chosen.next, chosen.text).toContain("/oauth/callback")
  return chosen.next!
}
