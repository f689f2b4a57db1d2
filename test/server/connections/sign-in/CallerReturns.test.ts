import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, redirectUrl } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })

const arrange = async () => {
  const arranged = await arrangeConnections(app, maker)
  const { call, keys, must, workspaceId } = arranged
  const path = `/v1/workspaces/${workspaceId}`
  return {
    ...arranged,
    allow: (...connectRedirects: ReadonlyArray<string>) =>
      must(200, "PATCH", path, { connectRedirects }, keys.MANAGEMENT),
    tryToAllow: (connectRedirects: unknown) => call("PATCH", path, { connectRedirects }, keys.MANAGEMENT),
    begin: (url: string, key: "SERVER" | "CONNECT" | "API") =>
      call("POST", "/v1/connections", { redirectUrl: url }, keys[key])
  }
}

const refused = { redirectUrl: expect.stringContaining("connectRedirects") }

describe("connectRedirects of a workspace", () => {
  test("are empty at first, set by PATCH, kept once each, and emptied by an empty list", async () => {
    const { allow, must, workspaceId } = await arrange()
    expect((await must(200, "GET", `/v1/workspaces/${workspaceId}`)).connectRedirects).toEqual([])
    const targets = ["https://app.example.com", "http://localhost:5173", "http://[::1]:8080", "sunnyhomes:"]
    expect((await allow(...targets, targets[0]!)).connectRedirects).toEqual(targets)
    expect((await allow()).connectRedirects).toEqual([])
  })

  test.each([
    "https://app.example.com/",
    "https://app.example.com/path",
    "https://app.example.com:443",
    "https://APP.example.com",
    "https://user@app.example.com",
    "https://*.example.com",
    "http://app.example.com",
    "app.example.com",
    "sunnyhomes",
    "sunnyhomes://",
    "https:",
    "http:",
    "*",
    "",
    "javascript:",
    "data:",
    "file:",
    "vbscript:",
    "blob:",
    "about:",
    "intent:",
    "ms-msdt:",
    "ms-settings:",
    "ms-officecmd:",
    "search-ms:",
    "search:",
    "shell:",
    "mailto:",
    "tel:",
    "ldap:",
    "chrome-extension:",
    "itms-services:",
    "x-apple.systempreferences:"
  ])("400 VALIDATION_ERROR for %j, which names its place in the list", async (target) => {
    const { tryToAllow } = await arrange()
    expectError(await tryToAllow(["https://example.com", target]), 400, "VALIDATION_ERROR", {
      "connectRedirects.1": expect.stringMatching(/^Must /)
    })
  })

  test("400 VALIDATION_ERROR for more than 50 of them", async () => {
    const { tryToAllow } = await arrange()
    const many = Array.from({ length: 51 }, (_, n) => `https://app-${n}.example.com`)
    expectError(await tryToAllow(many), 400, "VALIDATION_ERROR", { connectRedirects: expect.stringContaining("50") })
  })
})

describe("the redirectUrl of a session", () => {
  test("must be on the list with a CONNECT key, also while there is none", async () => {
    const { allow, begin, call, keys } = await arrange()
    expectError(await begin("https://app.example.com/back", "CONNECT"), 400, "VALIDATION_ERROR", refused)
    expectError(await begin("http://localhost:5173/", "CONNECT"), 400, "VALIDATION_ERROR", refused)
    await allow("https://app.example.com", "sunnyhomes:")
    expect((await begin("https://app.example.com/back?a=b", "CONNECT")).status).toBe(201)
    expect((await begin("sunnyhomes://back", "CONNECT")).status).toBe(201)
    for (const url of [
      "https://evil.example/",
      "https://app.example.com.evil.example/",
      "https://app.example.com:8443/",
      "http://localhost:5173/",
      "otherapp://back"
    ]) {
      expectError(await begin(url, "CONNECT"), 400, "VALIDATION_ERROR", refused)
    }
    // A session without a redirectUrl needs no list.
    expect((await call("POST", "/v1/connections", {}, keys.CONNECT)).status).toBe(201)
  })

  test("may be any https address with a secret key while there is no list, and the scheme of an app needs one", async () => {
    const { allow, begin } = await arrange()
    for (const key of ["SERVER", "API"] as const) {
      expect((await begin("https://anywhere.example/back", key)).status).toBe(201)
      expect((await begin("http://localhost:5173/", key)).status).toBe(201)
      expectError(await begin("sunnyhomes://back", key), 400, "VALIDATION_ERROR", refused)
    }
    await allow("sunnyhomes:")
    expect((await begin("sunnyhomes://back", "SERVER")).status).toBe(201)
    expectError(await begin("https://anywhere.example/back", "SERVER"), 400, "VALIDATION_ERROR", refused)
  })

  test.each(["ms-msdt:/id", "ms-settings:privacy", "search-ms:query=x", "shell:startup", "mhtml:https://example.com"])(
    "is never %s",
    async (url) => {
      const { begin } = await arrange()
      expectError(await begin(url, "SERVER"), 400, "VALIDATION_ERROR", { redirectUrl: expect.stringMatching(/^Must /) })
    }
  )

  test("gets no key once the workspace has taken its target off the list", async () => {
    const { allow, toManufacturer } = await arrange()
    await allow("https://example.com")
    const session = await toManufacturer({ redirectUrl })
    const view = await session.show(session.callback(maker.approve(session.authorizationUrl, maker.account("a"))))
    if (view.page !== "system") throw new Error(view.page)
    await allow("https://new.example.com")
    const ids = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    expect(await session.show(session.chooseDevices(ids, view.address!.values))).toMatchObject({
      page: "done",
      canReturn: false
    })
    await allow("https://example.com")
    expect(await leaves(session.leave())).toContain("service_scoped_token=")
  })
})
