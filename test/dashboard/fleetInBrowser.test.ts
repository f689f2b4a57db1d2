import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { hasChromium } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { eventually } from "../support/eventually.ts"
import { seedFleet } from "../support/fleet.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { type TestApp, type TestWorkspace, useTestApp } from "../support/TestApp.ts"
import { openContext, Record, signIn, startChromium } from "./browser.ts"

const DEVICES = 100_000
const run = promisify(execFile)

describeServer("Chromium", hasChromium(), "the fleet in a browser", () => {
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let record: Record
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())
  afterEach(() => context.close())

  const open = async (app: TestApp, { keys }: TestWorkspace) => {
    record = new Record(app.url)
    context = await openContext(browser, record)
    page = await context.newPage()
    await page.goto(`${app.url}/dashboard/fleet`)
    await signIn(page, keys.MANAGEMENT)
  }

  describe("in an empty workspace", () => {
    const app = useTestApp()

    test("leads to the demo town, and to a command that makes a connect link when it is pasted", async () => {
      const place = await app.workspace()
      await open(app, place)
      const shown = page.locator("main pre")
      await expect.poll(() => shown.count()).toBe(2)
      const commands = await shown.allTextContents()
      expect(commands[0]).toBe("npx -y pnpm@12 edp simulator town")
      const { stdout } = await run("bash", ["-c", commands[1]!], {
        env: { ...process.env, EDP_KEY: place.keys.SERVER }
      })
      expect(JSON.parse(stdout)).toMatchObject({ status: "PENDING", url: expect.stringMatching(/\/connect\//) })
      expect(record.takeComplaints()).toEqual([])
    })
  })

  describePostgres(`of ${DEVICES.toLocaleString("en")} devices`, () => {
    let server: PostgresServer
    let place: TestWorkspace
    beforeAll(async () => {
      server = await startPostgres({ fsync: false })
    })
    afterAll(() => server.stop())
    const app = useTestApp({ databaseUrl: () => server.url })
    beforeAll(async () => {
      place = await app.workspace()
      await app.run(seedFleet({ workspaceId: place.workspaceId, devices: DEVICES }))
    })
    beforeEach(async () => {
      await open(app, place)
      await page.waitForSelector(".virtual-frame")
    })

    /** Names of the rows in view, once all of them are read. */
    const names = () =>
      eventually("the rows in view are read", async () => {
        const shown = (await page.evaluate(`(() => {
          const frame = document.querySelector(".virtual-frame").getBoundingClientRect()
          return [...document.querySelectorAll("[data-row]")].filter((row) => {
            const { bottom, top } = row.getBoundingClientRect()
            return bottom > frame.top && top < frame.bottom
          }).map((row) => [Number(row.dataset.row), row.querySelector("a")?.textContent ?? null])
        })()`)) as ReadonlyArray<readonly [number, string | null]>
        return shown.length > 0 && shown.every(([, name]) => name !== null) ? shown : undefined
      })
    /** The seed numbers devices from 1 on, and the newest is the first of the list. */
    const expectInPlace = (shown: ReadonlyArray<readonly [number, string | null]>) => {
      for (const [row, name] of shown) expect(name).toMatch(new RegExp(` ${DEVICES - row}$`))
    }
    const scrollTo = (share: number) =>
      page.evaluate(
        `{ const frame = document.querySelector(".virtual-frame"); frame.scrollTop = ${share} * frame.scrollHeight }`
      )

    test("shows each device in its place, wherever the list is scrolled to, and keeps few rows", async () => {
      await page.locator(`.virtual[aria-rowcount="${DEVICES + 1}"]`).waitFor()
      expectInPlace(await names())
      for (const share of [0.5, 0.93, 0.07, 0.31]) {
        await scrollTo(share)
        const shown = await names()
        expectInPlace(shown)
        expect(Math.abs(shown[0]![0] / DEVICES - share)).toBeLessThan(0.01)
      }
      await page.locator(".virtual-frame").hover()
      for (let turn = 0; turn < 60; turn++) await page.mouse.wheel(0, 600)
      expectInPlace(await names())
      expect(await page.locator("[data-row]").count()).toBeLessThan(100)
      expect(record.takeComplaints()).toEqual([])
    })

    test("is moved through by keyboard from the first device to the last, which Enter opens", async () => {
      await names()
      await page.locator(".virtual-frame").focus()
      await page.keyboard.press("End")
      await page.locator(`[data-row="${DEVICES - 1}"]:focus`).waitFor()
      const last = await names()
      expectInPlace(last)
      expect(last.at(-1)![0]).toBe(DEVICES - 1)
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/dashboard\/devices\//)
      await page.getByRole("heading", { level: 1, name: / 1$/ }).waitFor()
    })
  })
})
