import type { FlowResult } from "@edp/server/connections/flow/ConnectFlow"
import { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import type { FlowView } from "@edp/hosted-pages/connect/pageTypes"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { fixtureView } from "../../hosted-pages/connect/fixtures.ts"
import { type PagesServer, type Remote, startPages } from "../../support/hosted-pages/PagesServer.ts"
import { ScriptedFlow } from "../../support/hosted-pages/ScriptedFlow.ts"

const token = "a-token-of-a-session-0123456789"
const base = `/connect/${token}`

const view = (shown: FlowView) => Effect.succeed<FlowResult>({ kind: "view", view: shown })
const leave = (url: string) => Effect.succeed<FlowResult>({ kind: "redirect", url, external: true })

const scripted = new ScriptedFlow(() => view(fixtureView("consent")))
let remote: Remote = () => new Response(null, { status: 404 })
let asked: Array<string> = []
let server: PagesServer
let secure: PagesServer
beforeAll(async () => {
  const response: Remote = (request) => {
    asked.push(request.url)
    return remote(request)
  }
  server = await startPages(scripted.flow, { remote: response })
  secure = await startPages(scripted.flow, { publicUrl: "https://energy.example.com" })
})
afterAll(async () => {
  await server.stop()
  await secure.stop()
})
beforeEach(() => {
  scripted.calls.length = 0
  scripted.respond = () => view(fixtureView("consent"))
  asked = []
})

const call = (path: string, init: RequestInit = {}, at = server) =>
  fetch(at.url + path, { redirect: "manual", ...init })
const post = (path: string, fields: string | ReadonlyArray<readonly [string, string]>, init: RequestInit = {}) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: typeof fields === "string" ? fields : new URLSearchParams(fields.map(([name, value]) => [name, value])),
    ...init
  })
const pageName = (markup: string) => /<body data-page="([^"]+)"/.exec(markup)?.[1]

const expectPage = async (response: Response, status: number, name: string) => {
  const markup = await response.text()
  expect([response.status, pageName(markup), response.headers.get("content-type")]).toEqual([
    status,
    name,
    "text/html; charset=utf-8"
  ])
  return markup
}

describe("every page", () => {
  test.each([
    ["a page of the flow", () => call(base)],
    ["an unknown link", () => call("/connect/x")],
    ["a refused form", () => call(`${base}/customer`, { method: "POST", body: "{}" })],
    ["another method", () => call(base, { method: "PUT" })],
    ["a callback", () => call("/oauth/callback?state=x")]
  ])("has the headers that keep it to itself: %s", async (_, ask) => {
    const { headers } = await ask()
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("x-frame-options")).toBe("DENY")
    expect(headers.get("x-content-type-options")).toBe("nosniff")
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("access-control-allow-origin")).toBeNull()
  })
})

describe("GET /connect/:token", () => {
  test("shows the page that comes next", async () => {
    await expectPage(await call(base), 200, "consent")
    expect(scripted.calls.map(({ method, token }) => [method, token])).toEqual([["open", token]])
  })

  test("asks nobody about a token that the platform cannot have made", async () => {
    for (const path of [
      "/connect/x",
      `/connect/${"x".repeat(201)}`,
      "/connect/%00aaaaaaaaaaaaaaaaaaaa",
      "/connect/a.b.c.d.e.f.g.h.i.j"
    ]) {
      await expectPage(await call(path), 404, "unknown")
    }
    expect(scripted.calls).toEqual([])
  })

  test("404 for an unknown session, 410 for an expired one", async () => {
    scripted.respond = () => view(fixtureView("unknown"))
    const unknown = await call(base)
    expect(unknown.headers.get("set-cookie")).toBeNull()
    await expectPage(unknown, 404, "unknown")
    scripted.respond = () => view(fixtureView("error-expired"))
    await expectPage(await call(base), 410, "error")
  })

  test("searches by its query", async () => {
    await call(`${base}?search=tes%00la&deviceType=battery`)
    await call(`${base}?deviceType=toaster`)
    await call(`${base}?search=${"x".repeat(500)}`)
    expect(scripted.calls.map(({ method, argument }) => [method, argument])).toEqual([
      ["searchManufacturers", { search: "tesla", deviceType: "battery" }],
      ["searchManufacturers", { search: "", deviceType: null }],
      ["searchManufacturers", { search: "x".repeat(100), deviceType: null }]
    ])
  })

  test("leads elsewhere by a page, which the policy of forms does not stop", async () => {
    scripted.respond = () => leave("https://acme.example/back?service_scoped_token=x&connect_session_id=1")
    const response = await call(base)
    expect(response.headers.get("refresh")).toBe(
      "0; url=https://acme.example/back?service_scoped_token=x&connect_session_id=1"
    )
    const markup = await expectPage(response, 200, "leaving")
    expect(markup).toContain(`href="https://acme.example/back?service_scoped_token=x&amp;connect_session_id=1"`)
  })

  test("leads nowhere that runs code", async () => {
    scripted.respond = () => leave("javascript:alert(1)")
    const response = await call(base)
    expect(response.headers.get("refresh")).toBeNull()
    await expectPage(response, 500, "failure")
  })

  test("503 and 500 are pages with a way on", async () => {
    scripted.respond = () => Effect.fail(new DatabaseUnavailable())
    const unavailable = await call(base)
    expect(unavailable.headers.get("retry-after")).toBe("30")
    expect(await expectPage(unavailable, 503, "failure")).toContain(`href="${base}"`)
    scripted.respond = () => Effect.die(new Error("A defect with a secret"))
    expect(await expectPage(await call(base), 500, "failure")).not.toContain("secret")
  })
})

describe("the visitor", () => {
  const cookies = (response: Response) => response.headers.getSetCookie()

  test("gets an id with the first page, which later requests carry", async () => {
    const first = await call(base)
    const [cookie] = cookies(first)
    expect(cookie).toMatch(/^edp-connect=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const value = cookie!.split(/[=;]/)[1]!
    expect(scripted.calls[0]!.visitor.cookie).toBe(value)
    const second = await call(base, { headers: { cookie: `edp-connect=${value}` } })
    expect(cookies(second)).toEqual([])
    expect(scripted.calls[1]!.visitor.cookie).toBe(value)
  })

  test("has no id at the callback without one, nor with a malformed one", async () => {
    await call("/oauth/callback?state=x")
    await call("/oauth/callback?state=x", { headers: { cookie: "edp-connect=<script>" } })
    expect(scripted.calls.map(({ visitor }) => visitor.cookie)).toEqual([null, null])
  })

  test("has a cookie for https alone behind https", async () => {
    const [cookie] = cookies(await call(base, {}, secure))
    expect(cookie).toMatch(/^__Host-edp-connect=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  })

  test("is asked in the language of the browser, until choosing another", async () => {
    await call(base, { headers: { "accept-language": "es-MX" } })
    const chosen = await call(`${base}?language=es`)
    expect([chosen.status, chosen.headers.get("location")]).toEqual([303, base])
    const [cookie] = cookies(chosen)
    expect(cookie).toMatch(/^edp-language=es; Path=\/; HttpOnly; SameSite=Lax$/)
    await call(base, { headers: { cookie: "edp-language=es" } })
    await call(base, { headers: { cookie: "edp-language=xx" } })
    expect(scripted.calls.map(({ visitor: { language, languages } }) => [language, languages])).toEqual([
      [null, "es-MX"],
      ["es", "*"],
      [null, "*"]
    ])
  })

  test("sees pages outside of sessions in the browser's language", async () => {
    const response = await call("/connect/x", { headers: { "accept-language": "es" } })
    expect(await response.text()).toContain(`<html lang="es">`)
  })
})

describe("POST /connect/:token/:step", () => {
  test.each([
    [
      "customer",
      [
        ["firstName", "Ada"],
        ["email", "a@b.c"]
      ],
      "submitCustomer",
      { firstName: "Ada", email: "a@b.c" }
    ],
    ["manufacturer", [["manufacturer", "tesla"]], "chooseManufacturer", "tesla"],
    ["another", [], "chooseAnother", undefined],
    ["consent", [["granted", "yes"]], "consent", true],
    ["consent", [["granted", "no"]], "consent", false],
    ["consent", [["granted", "perhaps"]], "open", undefined],
    ["form", [["host", "10.0.0.1"]], "submitForm", { host: "10.0.0.1" }],
    [
      "devices",
      [
        ["device", "a"],
        ["device", "b"]
      ],
      "chooseDevices",
      { manufacturerDeviceIds: ["a", "b"], address: null }
    ],
    [
      "devices",
      [
        ["streetOne", "1 Main St"],
        ["city", "X"],
        ["isAdmin", "yes"]
      ],
      "chooseDevices",
      {
        manufacturerDeviceIds: [],
        address: { streetOne: "1 Main St", streetTwo: "", city: "X", state: "", postalCode: "", country: "" }
      }
    ],
    ["leave", [], "leave", undefined],
    ["retry", [], "retry", undefined],
    ["cancel", [], "cancel", undefined]
  ] as const)("%s with %j goes to %s", async (step, fields, method, argument) => {
    const response = await post(`${base}/${step}`, fields)
    expect(scripted.calls.map((each) => [each.method, each.token, each.argument])).toEqual([[method, token, argument]])
    expect([response.status, response.headers.get("location")]).toEqual([303, base])
  })

  test.each(["customer-problems", "form-problems", "form-failed", "system-problems"])(
    "422 shows what is wrong: %s",
    async (name) => {
      scripted.respond = () => view(fixtureView(name))
      await expectPage(await post(`${base}/form`, []), 422, name.split("-")[0]!)
    }
  )

  test("leads to the manufacturer by a page", async () => {
    scripted.respond = () => leave("https://auth.tesla.example/authorize?state=a")
    const response = await post(`${base}/consent`, [["granted", "yes"]])
    expect(response.headers.get("refresh")).toBe("0; url=https://auth.tesla.example/authorize?state=a")
    await expectPage(response, 200, "leaving")
  })

  test("leads to the sign-in by a page that shows what comes next, where an app opens the address instead", async () => {
    const url = "https://auth.tesla.example/authorize?state=a"
    scripted.respond = () => Effect.succeed({ kind: "redirect", url, external: true, isSignIn: true })
    const response = await post(`${base}/consent`, [["granted", "yes"]])
    expect(response.headers.get("refresh")).toBe(`0; url=${url}`)
    expect(await expectPage(response, 200, "signing-in")).toContain(`<a href="${base}">`)
  })

  test("leads to another page of the flow by a redirect", async () => {
    scripted.respond = () => Effect.succeed({ kind: "redirect", url: base, external: false })
    const response = await post(`${base}/retry`, [])
    expect([response.status, response.headers.get("location")]).toEqual([303, base])
  })

  test("a step that does not exist is a page, and asks nobody", async () => {
    for (const step of ["nothing", "constructor", "__proto__", "toString"]) {
      await expectPage(await post(`${base}/${step}`, []), 404, "unknown")
    }
    expect(scripted.calls).toEqual([])
  })

  test("a form that cannot be read is a page with a way back, and asks nobody", async () => {
    const tooLong = `firstName=${"x".repeat(70_000)}`
    const refused = [
      await post(`${base}/customer`, tooLong),
      await post(`${base}/customer`, "a=1&".repeat(300)),
      await post(`${base}/customer`, "{}", { headers: { "content-type": "application/json" } }),
      await post(`${base}/customer`, "x", { headers: { "content-type": "multipart/form-data; boundary=x" } }),
      await call(`${base}/customer`, { method: "POST" }),
      await call(`${base}/customer`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new Blob([tooLong]).stream(),
        duplex: "half"
      } as RequestInit)
    ]
    for (const response of refused) expect(await expectPage(response, 400, "refused-form")).toContain(`href="${base}"`)
    expect(scripted.calls).toEqual([])
  })

  test("strange bytes become storable text", async () => {
    await post(`${base}/customer`, "firstName=%00A%ED%A0%80da%&lastName=%F0%28&email=a&email=b&=x")
    const { argument } = scripted.calls[0]!
    expect(JSON.stringify(argument)).not.toMatch(/\\u0000|\\ud800/)
    expect(Object.keys(argument as object).toSorted()).toEqual(["", "firstName", "lastName"])
  })

  test("opened as an address, or with an unknown token, it is a page", async () => {
    const reopened = await call(`${base}/customer`)
    expect([reopened.status, reopened.headers.get("location")]).toEqual([303, base])
    await expectPage(await call("/connect/x/customer"), 404, "unknown")
    await expectPage(await post("/connect/x/customer", []), 404, "unknown")
    expect(scripted.calls).toEqual([])
  })
})

describe("GET /oauth/callback", () => {
  test("passes on what the manufacturer sent; a repeated parameter counts as missing", async () => {
    await call("/oauth/callback?code=a&state=s&scope=x%20y&code=b")
    expect(scripted.calls[0]).toMatchObject({ method: "callback", argument: { state: "s", scope: "x y" } })
  })

  test("redirects to a page of the flow", async () => {
    scripted.respond = () => Effect.succeed({ kind: "redirect", url: base, external: false })
    const response = await call("/oauth/callback?code=a&state=s")
    expect([response.status, response.headers.get("location"), await response.text()]).toEqual([303, base, ""])
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
  })

  test("leads to the caller by a page, which the policy of the manufacturer's form does not stop", async () => {
    scripted.respond = () => leave("https://acme.example/back?error=access_denied")
    const response = await call("/oauth/callback?code=a&state=s")
    expect(response.headers.get("refresh")).toBe("0; url=https://acme.example/back?error=access_denied")
    await expectPage(response, 200, "leaving")
  })

  test("shows a page without forms where there is no session", async () => {
    scripted.respond = () => view(fixtureView("error-access-denied"))
    expect(await (await call("/oauth/callback")).text()).not.toContain("<form")
  })
})

describe("other addresses", () => {
  test.each([
    ["PUT", base, 405],
    ["DELETE", base, 405],
    ["POST", base, 405],
    ["PATCH", `${base}/customer`, 405],
    ["OPTIONS", base, 405],
    ["POST", "/oauth/callback", 405],
    ["GET", "/connect", 404],
    ["GET", "/connect/", 404],
    ["GET", `${base}/a/b/c`, 404],
    ["GET", "/oauth/other", 404],
    ["POST", "/connect/x/y/z", 405]
  ])("%s %s is a page with status %d", async (method, path, status) => {
    const response = await call(path, { method })
    expect([response.status, response.headers.get("content-type")]).toEqual([status, "text/html; charset=utf-8"])
  })

  test.each([`/connect/${token};x=1`, "/connect/%E0%A4%A", "/oauth/callback;x", "/oauth/%ZZ"])(
    "GET %s, which no route can match, leads to the page of unknown links",
    async (path) => {
      const response = await call(path)
      expect([response.status, response.headers.get("location")]).toEqual([303, "/connect/unknown"])
      await expectPage(await call("/connect/unknown"), 404, "unknown")
    }
  )

  test("HEAD responds like GET, without a body", async () => {
    const response = await call(base, { method: "HEAD" })
    expect([response.status, await response.text()]).toEqual([200, ""])
  })
})

describe("assets", () => {
  test("are named by the page, and kept for ever", async () => {
    scripted.respond = () => view(fixtureView("consent", { branding: { logoUrl: null, accentColor: "#FFB400" } }))
    const markup = await (await call(base)).text()
    const paths = [...markup.matchAll(/(?:href|src)="(\/connect\/assets\/[^"]+)"/g)].map(([, path]) => path!)
    expect(paths).toHaveLength(4)
    for (const path of paths) {
      const response = await call(path)
      expect([path, response.status, response.headers.get("cache-control")]).toEqual([
        path,
        200,
        "public, max-age=31536000, immutable"
      ])
      expect(response.headers.get("content-type")).toMatch(/^(text\/css|text\/javascript|image\/svg\+xml)/)
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    }
    expect(await (await call(paths.find((path) => path.includes("accent"))!)).text()).toContain("--accent:#ffb400")
  })

  test.each(["nothing.css", "..%2f..%2fAssets.ts", "accent-red-aaaaaaaaaaaa.css", "connect-x.css"])(
    "404 for %s",
    async (name) => {
      await expectPage(await call(`/connect/assets/${name}`), 404, "unknown")
    }
  )
})

describe("logos", () => {
  const url = "https://acme.example/logo.svg"
  const logoPath = async (logoUrl: string) => {
    scripted.respond = () => view(fixtureView("consent", { branding: { logoUrl, accentColor: null } }))
    return /<img class="logo" src="([^"]+)"/.exec(await (await call(base)).text())?.[1]
  }
  const image =
    (type: string, content: string | Uint8Array = "<svg/>") =>
    () =>
      new Response(content as string, { headers: { "content-type": type } })

  test("come from our own origin, where they run nothing, and are fetched once", async () => {
    remote = image("image/svg+xml; charset=utf-8")
    const path = await logoPath(url)
    for (const _ of [1, 2]) {
      const response = await call(path!)
      expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
        200,
        "image/svg+xml",
        "<svg/>"
      ])
      expect(response.headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
      )
      expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    }
    expect(asked).toEqual([url])
  })

  test.each([
    ["no image", "https://acme.example/1", image("text/html")],
    ["too large", "https://acme.example/2", image("image/png", new Uint8Array(300_000))],
    ["missing", "https://acme.example/3", () => new Response(null, { status: 404 })],
    [
      "moved",
      "https://acme.example/4",
      () => new Response(null, { status: 302, headers: { location: "http://10.0.0.1" } })
    ]
  ])("404 for one that is %s", async (_, logoUrl, response) => {
    remote = response
    expect((await call((await logoPath(logoUrl))!)).status).toBe(404)
  })

  test("404 for an address that no page has", async () => {
    const other = "https://internal.example/"
    const encoded = Buffer.from(other).toString("base64url")
    const forged = createHmac("sha256", "guess").update(other).digest().subarray(0, 16).toString("base64url")
    const signed = (await logoPath(url))!.split("/")[3]
    for (const signature of [forged, signed, "", "x"]) {
      expect((await call(`/connect/logos/${signature}/${encoded}`)).status).toBe(404)
    }
    expect(asked).toEqual([])
  })

  test.each(["http://acme.example/logo.svg", "javascript:alert(1)", "https://"])(
    "are not shown from %s",
    async (logoUrl) => {
      expect(await logoPath(logoUrl)).toBeUndefined()
    }
  )
})
