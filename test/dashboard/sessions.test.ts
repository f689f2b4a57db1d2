import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { signIn as signInByKey } from "../support/browserSession.ts"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { openContext, Record, settled, signIn, startChromium, STREAM } from "./browser.ts"

describeServer("Chromium", hasChromium(), "a session in a browser", () => {
  const app = useTestApp()
  let browser: Browser
  let record: Record
  let place: TestWorkspace
  let context: BrowserContext
  let page: Page
  const issued: Array<string> = []

  beforeAll(async () => {
    browser = await startChromium()
    record = new Record(app.url)
  })
  afterAll(() => browser?.close())
  beforeEach(async () => {
    place = await app.workspace()
    issued.push(...Object.values(place.keys))
    context = await openContext(browser, record)
    page = await context.newPage()
  })
  afterEach(async () => {
    issued.push(...(await context.cookies()).map(({ value }) => value))
    await context.close()
  })

  const typeKey = async (key: string) => {
    await page.getByLabel("MANAGEMENT key").fill(key)
    await page.getByRole("button", { name: "Sign in" }).click()
  }
  const signInAt = async (path = "/dashboard/keys") => {
    await page.goto(app.url + path)
    await signIn(page, place.keys.MANAGEMENT)
  }
  const focused = () => page.evaluate("document.activeElement.textContent.trim()")

  test("begins with a key, which the browser does not keep, and ends for good when the person signs out", async () => {
    await signInAt()
    const kept = (await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")) as string
    expect(kept).not.toContain(place.keys.MANAGEMENT)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" })
    await page.getByRole("button", { name: "Session and settings" }).click()
    await page.getByRole("menuitem", { name: "Sign out" }).click()
    await page.getByRole("heading", { name: "Sign in" }).waitFor()
    const again = await app.call("GET", "/dashboard/api/session", {
      headers: { cookie: `${cookie!.name}=${cookie!.value}` }
    })
    expect(again.status).toBe(401)
  })

  test("does not begin with a key of another type, and the page says so at the field", async () => {
    await page.goto(app.url)
    await typeKey(place.keys.SERVER)
    await page.getByText("This is not an active MANAGEMENT key.").waitFor()
    await page.locator("input[type=password][aria-invalid=true]").waitFor()
  })

  test("begins with a link once; the link leaves no trace in the address and is refused later", async () => {
    const { body } = await app.call("POST", "/dashboard/api/links", { key: place.keys.MANAGEMENT })
    const { hash, pathname } = new URL(body.url)
    issued.push(new URLSearchParams(hash.slice(1)).get("token")!)
    const link = `${app.url}${pathname}${hash}`
    await page.goto(link)
    await page.waitForSelector("main#content")
    await page.waitForURL((url) => !url.href.includes("token"))
    const other = await openContext(browser, record)
    const stranger = await other.newPage()
    await stranger.goto(link)
    await stranger.getByText("This link was used or has expired.").waitFor()
    await stranger.getByLabel("MANAGEMENT key").waitFor()
    await other.close()
  })

  test("with an old sign-in asks for a new one before it ends another session with the keys that this one made", async () => {
    const other = await signInByKey(app, place.keys.MANAGEMENT, { "user-agent": "Browser/1" })
    const { body } = await other.call("POST", "/v1/api-keys", { body: { name: "Made elsewhere", type: "SERVER" } })
    issued.push(body.key, other.token)
    await signInAt("/dashboard/account")
    await app.sql(
      (sql) => sql`UPDATE dashboard_sessions SET signed_in_at = now() - interval '11 minutes'
      WHERE organization_id = ${place.organizationId}`
    )
    await page.getByRole("button", { name: /^End the session of/u }).click()
    await page.getByText("Made elsewhere").waitFor()
    await page.getByRole("checkbox", { name: /^Also revoke the keys/u }).check()
    await page.getByRole("button", { name: "End the session", exact: true }).click()
    await page.getByRole("heading", { name: "Sign in again" }).waitFor()
    await typeKey(place.keys.MANAGEMENT)
    await page.getByText("The session has ended.").waitFor()
    expect((await app.call("GET", "/v1/sites", { key: body.key })).status).toBe(401)
    expect((await other.call("GET", "/dashboard/api/session")).status).toBe(401)
  })

  describe("that ends while a form is being filled in", () => {
    const fillIn = async () => {
      // Only the form tells the page of the end. The stream, which ends within seconds, would at some time or other.
      await page.route(STREAM, () => {})
      await signInAt()
      await page.getByRole("button", { name: "Create a key" }).first().click()
      await page.getByRole("dialog").getByLabel("Name (required)", { exact: true }).fill("A half-filled form")
    }
    const send = () => page.getByRole("dialog").getByRole("button", { name: "Create" }).last().click()
    const goOn = async (key: string) => {
      await page.getByText("Your session has ended").waitFor()
      await typeKey(key)
      await page.getByText("Your session has ended").waitFor({ state: "hidden" })
      expect(await page.getByLabel("Name (required)", { exact: true }).inputValue()).toBe("A half-filled form")
    }

    test("by expiry, asks for a new sign-in over the page, and the form is as it was", async () => {
      await fillIn()
      await app.sql(
        (sql) => sql`UPDATE dashboard_sessions SET expires_at = now() - interval '1 second'
        WHERE organization_id = ${place.organizationId}`
      )
      await send()
      await goOn(place.keys.MANAGEMENT)
      await send()
      await page.getByText("The new key, shown once").waitFor()
      const [key] = /server_[0-9A-Za-z]{32,}/.exec(await page.getByRole("dialog").innerText())!
      issued.push(key)
    })

    test("with its revoked key, does not begin again with that key, but with another one", async () => {
      const other = await app.key(place, "MANAGEMENT")
      issued.push(other.key)
      await fillIn()
      await app.sql(
        (sql) => sql`UPDATE api_keys SET revoked_at = now()
        WHERE organization_id = ${place.organizationId} AND type = 'MANAGEMENT' AND id <> ${other.id}`
      )
      await send()
      await page.getByText("Your session has ended").waitFor()
      await typeKey(place.keys.MANAGEMENT)
      await page.getByText("This is not an active MANAGEMENT key.").waitFor()
      await goOn(other.key)
    })
  })

  test("that has ended is replaced by a new one, which reads the page again and does not end by a response to the former one", async () => {
    // A stream would tell the page of the end before it is asked, and once it begins anew, the page gives up what it is reading.
    const begin = Promise.withResolvers<void>()
    await page.route(STREAM, (route) => begin.promise.then(() => route.continue()))
    await signInAt()
    const late = Promise.withResolvers<void>()
    await page.route("**/v1/api-keys?*status=REVOKED*", async (route) => {
      const response = await route.fetch()
      await late.promise
      await route.fulfill({ response })
    })
    await app.sql(
      (sql) => sql`UPDATE dashboard_sessions SET expires_at = now() - interval '1 second'
      WHERE organization_id = ${place.organizationId}`
    )
    const refused = page.waitForResponse(/status=REVOKED/)
    await page.getByLabel("Status").selectOption({ label: "Revoked" })
    await page.getByRole("link", { name: "Sites" }).click()
    await page.getByText("Your session has ended").waitFor()
    await typeKey(place.keys.MANAGEMENT)
    await page.getByText("Your session has ended").waitFor({ state: "hidden" })
    late.resolve()
    expect((await refused).status()).toBe(401)
    begin.resolve()
    await page.getByText("No sites yet").waitFor()
    await settled(page)
    expect(await page.getByText("Your session has ended").count()).toBe(0)
  })

  test("says by itself that its workspace was deleted, and goes on in the one that the person chooses", async () => {
    const made = await app.call("POST", "/v1/workspaces", {
      key: place.keys.MANAGEMENT,
      body: { name: "Short-lived" }
    })
    const path = `/v1/workspaces/${made.body.id}`
    await signInAt(`/dashboard/sites?workspace=${made.body.id}`)
    await page.locator(".connection.live").waitFor()
    expect((await app.call("DELETE", path, { key: place.keys.MANAGEMENT })).status).toBe(204)
    const dialog = page.getByRole("dialog")
    await dialog.getByText("This workspace has been deleted").waitFor()
    await dialog.getByRole("button", { name: "Open the workspace" }).click()
    await page.waitForURL((url) => url.searchParams.get("workspace") === place.workspaceId)
    await dialog.waitFor({ state: "detached" })
    await page.locator(".connection.live").waitFor()
  })

  test("a dialog holds the focus, Escape closes it, and the focus returns to its button", async () => {
    await signInAt()
    const button = page.getByRole("button", { name: "Create a key" }).first()
    await button.focus()
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    for (let presses = 0; presses < 30; presses++) {
      await page.keyboard.press("Tab")
      await expect.poll(() => page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true)
    }
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await expect.poll(focused).toBe("Create a key")
  })

  test("no response contained a key, a token or a cookie, but the new key once", async () => {
    expect(issued.length).toBeGreaterThan(30)
    const leaks = await record.leaks(issued.filter((secret) => secret !== ""))
    expect(leaks.filter((reply) => !/^POST .*\/api-keys$/.test(reply))).toEqual([])
    expect(record.foreign).toEqual([])
  })
})
