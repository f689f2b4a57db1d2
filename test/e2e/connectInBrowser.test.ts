import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type Browser, hasChromium, isPage, openBrowser, type Page } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { eventually } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const customerInfo = {
  firstName: "Ada",
  lastName: "Okafor",
  email: "ada@example.com",
  phone: "+1 916 555 0142",
  location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "USA" }
}

const form = {
  firstName: "Grace",
  lastName: "Hopper",
  email: "grace@example.com",
  phone: "+1 916 555 0199",
  streetOne: "1 Capitol Mall",
  city: "Sacramento",
  state: "CA",
  postalCode: "95814",
  country: "USA"
}

const atManufacturer = `location.pathname === "/adapters/simulator/oauth/authorize" && document.readyState === "complete"`

describeServer("Chromium", hasChromium(), "the connect flow in a browser", () => {
  let folder: GuardedFolder
  let server: SpawnedServer
  let browser: Browser
  let caller: Server
  let callerUrl: string
  let references = 0
  const referers: Array<string | undefined> = []
  beforeAll(async () => {
    folder = await guardedFolder("edp-connect")
    const port = await freePort()
    server = await spawnServer({ port, env: { EDP_PUBLIC_URL: `http://127.0.0.1:${port}` } })
    browser = await openBrowser(join(folder.path, "profile"))
    caller = createServer(({ headers, url }, response) => {
      // Its own icon is requested by the caller's page.
      if (url?.startsWith("/connected")) referers.push(headers.referer)
      response
        .writeHead(200, { "content-type": "text/html" })
        .end("<!doctype html><title>Back</title><body data-page=back>")
    })
    await new Promise<void>((resolve) => caller.listen(0, "127.0.0.1", resolve))
    callerUrl = `http://localhost:${(caller.address() as AddressInfo).port}/connected`
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    caller.close()
    await folder.remove()
  })

  const call = async (method: string, path: string, body?: object) =>
    callAt(server.baseUrl, method, path, { key: server.credentials.serverKey, ...(body && { body }) })

  const createSession = async (fields: object = {}) => {
    const reply = await call("POST", "/v1/connections", {
      referenceId: `user-${++references}`,
      clientName: "Sunny Homes",
      redirectUrl: callerUrl,
      ...fields
    })
    expect(reply.status, reply.text).toBe(201)
    return reply.body as { readonly id: string; readonly url: string }
  }
  /** A session that begins with the consent. */
  const createShort = (fields: object = {}) =>
    createSession({ customerInfo, manufacturerFilters: { manufacturers: ["simulator"] }, ...fields })

  const readSession = async ({ id }: { readonly id: string }) => (await call("GET", `/v1/connections/${id}`)).body

  const newPage = async (scripts = true) => {
    const page = await browser.newPage({ apart: true })
    await page.emulate({ scripts, size: [390, 844], language: "en" })
    return page
  }

  const fill = async (page: Page, values: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(values)) {
      await page.evaluate(`document.querySelector("[name=${name}]").focus()`)
      await page.evaluate(`document.activeElement.select?.()`)
      await page.type(value)
    }
  }

  const click = (page: Page, selector: string) =>
    page.evaluate(`void document.querySelector(${JSON.stringify(selector)}).click()`)

  const agree = async (page: Page) => {
    await page.until(isPage("consent"))
    await click(page, "[name=granted][value=yes]")
    await page.until(atManufacturer)
  }

  const signIn = async (page: Page, account: string, decision = "approve") => {
    await click(page, `[name=account][value=${account}]`)
    await click(page, `[name=decision][value=${decision}]`)
  }

  const backAtCaller = async (page: Page) => {
    await page.until(isPage("back"))
    return new URL(await page.evaluate("location.href")).searchParams
  }

  /** Requests outside of the platform, which is also the manufacturer here, and of the caller. */
  const strays = (page: Page) =>
    page.requests.filter((url) => ![server.baseUrl, new URL(callerUrl).origin].includes(new URL(url).origin))

  const disconnect = async ({ id }: { readonly id: string }) => {
    expect((await call("DELETE", `/v1/connections/${id}`)).status).toBe(204)
  }

  const heading = (page: Page) => page.evaluate(`document.querySelector("h1").textContent.trim()`)
  const expectError = async (page: Page, session: { readonly id: string }, code: string) => {
    await page.until(isPage("error"))
    expect((await readSession(session)).lastError).toMatchObject({ code })
  }

  /** Goes from the consent to the choice of devices. */
  const approve = async (page: Page, session: { readonly url: string }, account: string) => {
    await page.goTo(session.url)
    await agree(page)
    await signIn(page, account)
    await page.until(isPage("system"))
  }

  describe.each([
    ["with scripts", true],
    ["without scripts", false]
  ] as const)("%s", (_, scripts) => {
    test("a person goes from the link to connected devices", async () => {
      const page = await newPage(scripts)
      const session = await createSession()
      await page.goTo(session.url)
      await page.until(isPage("customer"))
      await fill(page, { ...form, email: "no address" })
      await page.follow(".button.main")
      expect(await page.evaluate(`document.querySelector(".summary a").textContent`)).toMatch(/^Email address:/)
      await fill(page, { email: form.email })
      await click(page, ".button.main")
      await page.until(isPage("manufacturers"))
      await fill(page, { search: "simu" })
      await page.follow("[role=search] button")
      expect(await page.evaluate(`document.querySelectorAll(".choice").length`)).toBe(1)
      await page.follow("[name=manufacturer][value=simulator]")
      await agree(page)
      await signIn(page, "sunny")
      await page.until(isPage("system"))
      expect(await page.evaluate(`document.querySelectorAll("[name=device]:checked").length`)).toBeGreaterThan(3)
      await click(page, ".button.main")
      const query = await backAtCaller(page)
      expect(query.get("connect_session_id")).toBe(session.id)
      expect(query.get("service_scoped_token")).toMatch(/^\w{20,}$/)
      const after = await readSession(session)
      expect(after.status).toBe("SUCCESS")
      expect(after.consent).toMatchObject({ language: "en", manufacturer: "simulator" })
      expect(strays(page)).toEqual([])
      expect(page.complaints.filter((text) => !/status of 422/.test(text))).toEqual([])
      await disconnect(session)
      await page.close()
    })

    test("a person who denies access may try again, and return with the error", async () => {
      const page = await newPage(scripts)
      const session = await createShort()
      await page.goTo(session.url)
      await agree(page)
      await signIn(page, "sunny", "deny")
      await expectError(page, session, "access_denied")
      await click(page, `form[action$="/retry"] button`)
      await page.until(atManufacturer)
      await signIn(page, "sunny", "deny")
      await page.until(isPage("error"))
      await click(page, "a.button")
      expect(Object.fromEntries(await backAtCaller(page))).toEqual({
        error: "access_denied",
        connect_session_id: session.id
      })
      await page.close()
    })

    test("a person who does not consent returns with the error, and nothing was authorized", async () => {
      const page = await newPage(scripts)
      const session = await createShort()
      await page.goTo(session.url)
      await page.until(isPage("consent"))
      await click(page, "[name=granted][value=no]")
      expect((await backAtCaller(page)).get("error")).toBe("consent_refused")
      expect(page.requests.filter((url) => url.includes("/adapters/"))).toEqual([])
      await page.close()
    })

    test("a page that waits shows what was done in another tab", async () => {
      const page = await newPage(scripts)
      const session = await createShort()
      await page.goTo(session.url)
      await agree(page)
      const manufacturerUrl = await page.evaluate("location.href")
      await page.goTo(session.url)
      await page.until(isPage("waiting"))
      // Another browser: its callback finishes the session, because the state is what counts.
      const elsewhere = await newPage(scripts)
      await elsewhere.goTo(manufacturerUrl)
      await signIn(elsewhere, "second")
      await elsewhere.until(isPage("returned"))
      await page.until(isPage("system"))
      await click(page, ".button.main")
      expect((await backAtCaller(page)).get("service_scoped_token")).toMatch(/^\w{20,}$/)
      expect(await elsewhere.evaluate("document.body.innerHTML")).not.toContain(session.url.split("/").at(-1))
      expect((await readSession(session)).status).toBe("SUCCESS")
      await disconnect(session)
      await elsewhere.close()
      await page.close()
    })
  })

  test.each([
    ["denies", "access_denied"],
    ["no-devices", "no_devices"],
    ["incompatible", "device_incompatible"],
    ["unavailable", "manufacturer_unavailable"],
    ["misconfigured", "configuration_error"]
  ])("the account %s ends on the page of %s", async (account, code) => {
    const page = await newPage()
    const session = await createShort()
    await page.goTo(session.url)
    await agree(page)
    await signIn(page, account)
    await expectError(page, session, code)
    await click(page, "a.button")
    expect((await backAtCaller(page)).get("error")).toBe(code)
    await page.close()
  })

  test("an ended link says so, in the language of the session", async () => {
    const page = await newPage()
    const session = await createShort({ language: "es" })
    await page.goTo(session.url)
    await page.until(isPage("consent"))
    await disconnect(session)
    await page.reload()
    expect(await heading(page)).toBe("Este enlace ha caducado")
    await page.close()
  })

  test("a brand that is not supported has a page, with the way to another one", async () => {
    const page = await newPage()
    const session = await createSession({ customerInfo })
    await page.goTo(session.url)
    await page.until(isPage("manufacturers"))
    await page.follow(".later .choice")
    await page.until(isPage("unsupported"))
    expect((await readSession(session)).status).toBe("UNSUPPORTED_MANUFACTURER")
    await page.follow(".button.main")
    await page.until(isPage("manufacturers"))
    await page.close()
  })

  test("an account that is connected already ends on the page of duplicates", async () => {
    const page = await newPage()
    const [first, second] = [await createShort(), await createShort()]
    await approve(page, first, "sunny")
    await click(page, ".button.main")
    await backAtCaller(page)
    await page.goTo(second.url)
    await agree(page)
    await signIn(page, "sunny")
    await expectError(page, second, "duplicate_connection")
    expect((await readSession(second)).status).toBe("DUPLICATE_CONNECTION")
    await disconnect(first)
    await page.close()
  })

  test("the back button and reloads show the page that comes next, and a form sent again does no harm", async () => {
    const page = await newPage()
    const session = await createSession({ customerInfo })
    await page.goTo(session.url)
    await page.follow("[name=manufacturer][value=simulator]")
    await page.until(isPage("consent"))
    await page.reload()
    expect(await page.evaluate("document.body?.dataset.page")).toBe("consent")
    await agree(page)
    await page.back()
    await page.until(isPage("waiting"))
    await page.reload()
    await page.until(isPage("waiting"))
    await click(page, "a.button")
    await page.until(atManufacturer)
    await signIn(page, "sunny")
    await page.until(isPage("system"))
    await page.reload()
    await page.until(isPage("system"))
    const resend = `fetch(location.pathname + "/consent", { method: "POST", body: new URLSearchParams({ granted: "no" }) }).then(({ status }) => status)`
    expect(await page.evaluate(resend)).toBe(200)
    expect((await readSession(session)).status).toBe("ENTERING_SYSTEM_INFO")
    await click(page, ".button.main")
    await backAtCaller(page)
    await page.goTo(session.url)
    await page.until(isPage("done"))
    await disconnect(session)
    await page.close()
  })

  test("a callback that comes twice leads back to the session's page alone, and one of a foreign state is refused", async () => {
    const page = await newPage()
    const session = await createShort({ redirectUrl: undefined })
    await approve(page, session, "sunny")
    const callback = page.requests.find((url) => url.includes("/oauth/callback"))!
    await click(page, ".button.main")
    await page.until(isPage("done"))
    await page.goTo(callback)
    await page.until(isPage("returned"))
    await click(page, "a.button")
    await page.until(isPage("done"))
    const foreign = new URL(callback)
    foreign.searchParams.set("state", "x".repeat(43))
    await page.goTo(foreign.href)
    await page.until(isPage("unknown"))
    expect((await readSession(session)).status).toBe("SUCCESS")
    await disconnect(session)
    await page.close()
  })

  test("interventions are on the last page, once the first readings report them", async () => {
    const page = await newPage()
    const session = await createShort({ redirectUrl: undefined })
    await approve(page, session, "unpaired")
    await click(page, ".button.main")
    await page.until(isPage("done"))
    await eventually("the vehicle was read", async () => {
      await page.reload()
      return (await page.evaluate(`document.querySelector(".todo h3")?.textContent`)) ?? undefined
    })
    await disconnect(session)
    await page.close()
  })

  test("reconnecting keeps the devices, and refuses another account of the person", async () => {
    const page = await newPage()
    const session = await createShort()
    await approve(page, session, "sunny")
    await click(page, ".button.main")
    await backAtCaller(page)
    const { deviceIds } = await readSession(session)
    const again = await createSession({ referenceId: undefined, reconnect: session.id })
    await page.goTo(again.url)
    await agree(page)
    await signIn(page, "second")
    await expectError(page, again, "account_mismatch")
    await click(page, `form[action$="/retry"] button`)
    await page.until(atManufacturer)
    await signIn(page, "sunny")
    await backAtCaller(page)
    expect((await readSession(again)).deviceIds.toSorted()).toEqual(deviceIds.toSorted())
    await disconnect(again)
    await page.close()
  })

  test("headless, the person sees the manufacturer and the caller alone", async () => {
    const page = await newPage()
    const session = await createShort({ mode: "headless" })
    expect(session.url).toContain("/adapters/simulator/oauth/authorize?")
    await page.goTo(session.url)
    await signIn(page, "sunny")
    expect((await backAtCaller(page)).get("connect_session_id")).toBe(session.id)
    expect((await readSession(session)).status).toBe("SUCCESS")
    await disconnect(session)
    await page.close()
  })

  test("a workspace's colour and the chosen language are kept through the flow", async () => {
    const { managementKey, workspaceId } = server.credentials
    const body = { accentColor: "#8a2be2" }
    const branded = await callAt(server.baseUrl, "PATCH", `/v1/workspaces/${workspaceId}`, { key: managementKey, body })
    expect(branded.status).toBe(200)
    const page = await newPage()
    const session = await createShort({ colorScheme: "dark" })
    await page.goTo(session.url)
    await page.follow(".languages a")
    expect(await page.evaluate("document.documentElement.lang + document.documentElement.dataset.scheme")).toBe(
      "esdark"
    )
    const color = `getComputedStyle(document.querySelector(".button.main")).backgroundColor`
    expect(await page.evaluate(color)).toBe("rgb(138, 43, 226)")
    await agree(page)
    expect((await readSession(session)).consent.language).toBe("es")
    await page.close()
  })

  test("the caller never saw the address of a page, which holds the link's token", () => {
    expect(referers.length).toBeGreaterThan(5)
    expect(new Set(referers)).toEqual(new Set([undefined]))
  })
})
