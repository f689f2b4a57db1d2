import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { axe, runAxe } from "../support/axe.ts"
import { hasChromium, openPage, type Page } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { eventually } from "../support/eventually.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const button = (label: string) =>
  `[...document.querySelectorAll("button")].find((each) => each.textContent.includes("${label}"))`

/** Clicks an element once it is there. */
const click = async (page: Page, element: string) => {
  await page.until(`${element} !== undefined`)
  await page.evaluate(`${element}.click()`)
}

/** The rules that the page breaks. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => [
  ...new Set((await page.evaluate(runAxe)).map((each: string) => each.split(":")[0]!) as ReadonlyArray<string>)
]

/** The results of the search, once it has searched. */
const found = `[...document.querySelectorAll("[role=option]")].map((each) => each.textContent)`

/** Rules of accessibility that Scalar's own markup breaks, which no setting and no style of ours mends. */
const knownViolations: Readonly<Record<string, string>> = {
  "aria-input-field-name": "the name of the header in the form of the key is an editor that Scalar gives no label",
  "aria-required-attr": "the field of the search and that editor are comboboxes without aria-expanded",
  "target-size": "the arrows of the side bar are 22 instead of 24 pixels high"
}

describeServer("Chromium", hasChromium(), "the reference in a browser", () => {
  let folder: GuardedFolder
  let server: SpawnedServer
  let page: Page
  beforeAll(async () => {
    folder = await guardedFolder("edp-browser")
    server = await spawnServer()
    page = await openPage(join(folder.path, "profile"), `${server.baseUrl}/v1/docs`)
    await page.until(`document.querySelector("h1") !== null`)
  })
  afterAll(async () => {
    await page.close()
    await server.stop()
    await folder.remove()
  })

  test("the search finds operations by path and by what their texts say", async () => {
    await click(page, button("Search"))
    await page.until(`document.activeElement?.matches("[role=dialog] input, input[role=combobox]")`)
    await page.type("/v1/sites/bulk")
    await page.until(`${found}[0]?.includes("/v1/sites/bulk")`)
    await page.evaluate(`document.activeElement.select()`)
    await page.type("cost does not grow with depth")
    await page.until(`${found}.some((each) => each.includes("List devices"))`)
    await page.evaluate(`document.activeElement.select()`)
    await page.type("discharge")
    await page.until(`${found}.some((each) => each.includes("Send a command to a device"))`)
    const kinds: ReadonlyArray<string> = await page.evaluate(`${found}.map((each) => each.split(":")[0].trim())`)
    expect(kinds.indexOf("Models")).toBeGreaterThan(kinds.lastIndexOf("Operation"))
    await page.evaluate(`document.activeElement.select()`)
    await page.type("SendCommand")
    await page.until(`/^\\s*Models:\\s*SendCommand\\b/.test(${found}[0] ?? "")`)
    await page.evaluate(axe)
    expect((await violations(page)).filter((rule) => !(rule in knownViolations))).toEqual([])
    await page.press("Escape")
    await page.until(`document.querySelector("[role=dialog]") === null`)
  })

  test("the page breaks no rule of accessibility but those that are named", async () => {
    await page.evaluate(axe)
    expect((await violations(page)).filter((rule) => !(rule in knownViolations))).toEqual([])
  })

  test("the side bar follows the operation that is read", async () => {
    await page.evaluate(`location.hash = "#tag/devices/GET/v1/devices"`)
    await page.until(`document.querySelector("aside [aria-current=page]")?.textContent.includes("List devices")`)
  })

  test("its examples call the address that it was read from", async () => {
    const examples = `document.body.textContent.match(/curl +'?https?:[^' ]+/g)`
    await page.until(`${examples} !== null`)
    const urls = await page.evaluate(examples)
    const origins = urls.map((url: string) => new URL(url.replace(/^curl +'?/, "")).origin)
    expect([...new Set(origins)]).toEqual([server.baseUrl])
  })

  test("a request with a key shows its response in the page", async () => {
    const { serverKey } = server.credentials
    await click(page, button("Test Request"))
    const field = `document.querySelector("[role=dialog] input[placeholder]")`
    await page.until(`${field} !== null`)
    expect(await page.evaluate(`${field}.placeholder`)).toBe("server_…")
    // The dialog takes the focus once it has opened, which may be meanwhile.
    await eventually("the key is in its field", async () => {
      await page.evaluate(`${field}.focus(), ${field}.select()`)
      await page.type(serverKey)
      return (await page.evaluate(`${field}.value`)) === serverKey || undefined
    })
    await click(
      page,
      `[...document.querySelectorAll("[role=dialog] button")].find((each) => /^Send/.test(each.textContent.trim()))`
    )
    await page.until(`document.body.textContent.includes("200 OK")`)
  })

  test("its policy allows all that it does, and no request leaves the server", () => {
    expect(page.complaints).toEqual([])
    expect([...new Set(page.requests.map((url) => new URL(url).origin))]).toEqual([server.baseUrl])
  })
})
