import { join } from "node:path"
import { Adapters } from "@edp/server/accounts/adapter-hosts/Adapters"
import { Effect, Redacted } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { axe } from "../../support/axe.ts"
import { type Browser, hasChromium, openBrowser, type Page } from "../../support/chromium.ts"
import { describeServer } from "../../support/describeServer.ts"
import { type GuardedFolder, guardedFolder } from "../../support/guardedFolder.ts"
import { useTestApp } from "../../support/TestApp.ts"

const runAxe = `axe.run(document, { resultTypes: ["violations"] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`

// The platform's address is that of its settings, which a browser in the test cannot reach.
const PUBLIC_URL = "http://127.0.0.1:3000"
const app = useTestApp({ own: true })

describeServer("Chromium", hasChromium(), "the simulator's sign-in page in a browser", () => {
  let folder: GuardedFolder
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    folder = await guardedFolder("edp-sign-in")
    browser = await openBrowser(join(folder.path, "profile"))
    page = await browser.newPage()
  })
  afterAll(async () => {
    await browser.close()
    await folder.remove()
  })

  const signInUrl = async (language: "en" | "es") => {
    const adapters = await app.run(Adapters)
    const { authorization } = adapters.get("simulator")!.instance
    if (authorization.kind !== "oauth2") throw new Error("The simulator links accounts by OAuth")
    const request = {
      state: "unknown",
      redirectUri: `${PUBLIC_URL}/oauth/callback`,
      codeVerifier: Redacted.make("a".repeat(43)),
      language
    }
    return (await Effect.runPromise(authorization.authorizationUrl(request))).replace(PUBLIC_URL, app.url)
  }

  test.each([
    ["en", "light", [390, 844]],
    ["en", "dark", [1280, 900]],
    ["es", "dark", [320, 640]],
    ["es", "light", [1280, 900]]
  ] as const)("has no violation that axe finds, in %s, %s, at %j", async (language, scheme, size) => {
    await page.emulate({ scheme, size })
    await page.goTo(await signInUrl(language))
    await page.evaluate(axe)
    expect(await page.evaluate(runAxe)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(size[0])
  })

  test("asks for nothing from elsewhere, and breaks none of its own rules", () => {
    expect(page.requests.filter((url) => !url.startsWith(app.url))).toEqual([])
    expect(page.complaints).toEqual([])
  })
})
