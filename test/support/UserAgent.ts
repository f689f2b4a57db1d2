export interface Page {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly html: string
}

export interface Form {
  readonly action: string
  readonly method: string
  readonly fields: Readonly<Record<string, string>>
}

const attribute = (tag: string, name: string) =>
  new RegExp(`\\b${name}="([^"]*)"`, "i").exec(tag)?.[1]?.replaceAll("&amp;", "&").replaceAll("&quot;", '"')

/** The forms of a page with the values of their inputs. */
export const formsIn = ({ html, url }: Page): ReadonlyArray<Form> =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, tag = "", content = ""]) => ({
    action: new URL(attribute(tag, "action") ?? "", url).href,
    method: (attribute(tag, "method") ?? "get").toUpperCase(),
    fields: Object.fromEntries(
      [...content.matchAll(/<(?:input|button)\b([^>]*)>/gi)].flatMap(([, input = ""]) => {
        const name = attribute(input, "name")
        const isUnchecked = /type="(?:checkbox|radio)"/i.test(input) && !/\bchecked\b/i.test(input)
        return name === undefined || isUnchecked ? [] : [[name, attribute(input, "value") ?? ""]]
      })
    )
  }))

/** The referrer that a browser sends from one page to another (Referrer Policy, default strict-origin-when-cross-origin). */
const referrerBetween = (from: Page | undefined, to: string): string | undefined => {
  if (from === undefined || from.headers.get("referrer-policy") === "no-referrer") return undefined
  const { hash, origin } = new URL(from.url)
  return origin === new URL(to).origin ? from.url.replace(hash, "") : `${origin}/`
}

/** A browser without JavaScript: it keeps cookies, follows redirects and sends forms and referrers. */
export class UserAgent {
  private readonly cookies = new Map<string, Map<string, string>>()
  /** Addresses that it does not open, such as the callback of an application. */
  private readonly stopsAt: (url: string) => boolean

  /** The real addresses of origins, as a host file has them. */
  private readonly hosts: Readonly<Record<string, string>>
  private current: Page | undefined
  /** All addresses that it asked for, in order. */
  readonly visited: Array<string> = []

  constructor(stopsAt: (url: string) => boolean = () => false, hosts: Readonly<Record<string, string>> = {}) {
    this.stopsAt = stopsAt
    this.hosts = hosts
  }

  private jar(url: string) {
    const { host } = new URL(url)
    const jar = this.cookies.get(host) ?? new Map<string, string>()
    this.cookies.set(host, jar)
    return jar
  }

  forgetCookies() {
    this.cookies.clear()
  }

  /** Opens an address as a link on the present page does. */
  async open(url: string, init: RequestInit = {}): Promise<Page> {
    this.visited.push(url)
    if (this.stopsAt(url)) return this.arrive({ url, status: 0, headers: new Headers(), html: "" })
    const jar = this.jar(url)
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set("cookie", [...jar].map(([name, value]) => `${name}=${value}`).join("; "))
    const referrer = referrerBetween(this.current, url)
    if (referrer !== undefined) headers.set("referer", referrer)
    const { origin } = new URL(url)
    const response = await fetch(url.replace(origin, this.hosts[origin] ?? origin), {
      ...init,
      headers,
      redirect: "manual"
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = cookie.split(";")
      const at = pair.indexOf("=")
      const isGone = rest.some((one) => /^\s*(?:max-age=0|expires=Thu, 01 Jan 1970)/i.test(one))
      if (isGone) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const location = response.headers.get("location")
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel()
      return this.open(new URL(location, url).href)
    }
    const page = this.arrive({ url, status: response.status, headers: response.headers, html: await response.text() })
    // A page that leads elsewhere at once.
    const next = /^0;\s*url=(.+)$/i.exec(page.headers.get("refresh") ?? "")?.[1]
    return next === undefined ? page : this.open(new URL(next, url).href)
  }

  private arrive(page: Page): Page {
    this.current = page
    return page
  }

  submit(page: Page, values: Readonly<Record<string, string>> = {}, form = formsIn(page)[0]): Promise<Page> {
    this.current = page
    if (form === undefined) throw new Error(`No form at ${page.url}: ${page.html.slice(0, 500)}`)
    const fields = new URLSearchParams({ ...form.fields, ...values })
    return form.method === "GET"
      ? this.open(`${form.action.split("?")[0]}?${fields}`)
      : this.open(form.action, {
          method: "POST",
          body: fields,
          headers: { origin: new URL(page.url).origin, "content-type": "application/x-www-form-urlencoded" }
        })
  }
}

/** Signs in at the provider's own forms and gives consent; returns the page to which the provider sends the person back. */
export const signInAt = async (agent: UserAgent, authorizationUrl: string, login = "ada"): Promise<Page> => {
  let page = await agent.open(authorizationUrl)
  for (let step = 0; step < 4 && /\/interaction\//.test(page.url); step += 1) {
    page = await agent.submit(page, /name="login"/.test(page.html) ? { login, password: "any" } : {})
  }
  return page
}

/** Leaves the provider's forms by the link with which a person cancels. */
export const denyAt = async (agent: UserAgent, authorizationUrl: string): Promise<Page> => {
  const page = await agent.open(authorizationUrl)
  const cancel = /href="([^"]*\/abort)"/.exec(page.html)?.[1]
  if (cancel === undefined) throw new Error(`No link to cancel at ${page.url}`)
  return agent.open(new URL(cancel, page.url).href)
}
