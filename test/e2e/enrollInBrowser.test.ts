import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { type Browser, hasChromium, isPage, openBrowser, type Page } from "../support/chromium.ts"
import { describeServer } from "../support/describeServer.ts"
import { freePort } from "../support/freePort.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const atManufacturer = `location.pathname === "/adapters/simulator/oauth/authorize" && document.readyState === "complete"`

describeServer("Chromium", hasChromium(), "the enrollment in a browser", () => {
  let folder: GuardedFolder
  let server: SpawnedServer
  let browser: Browser
  let instance: { readonly id: string; readonly enrollPath: string }
  let people = 0

  const call = async (method: string, path: string, body?: object, key = server.credentials.serverKey) => {
    const response = await callAt(server.baseUrl, method, path, { key, ...(body && { body }) })
    expect(response.status, response.text).toBeLessThan(300)
    return response.body
  }

  beforeAll(async () => {
    folder = await guardedFolder("edp-enroll")
    const port = await freePort()
    server = await spawnServer({ port, env: { EDP_PUBLIC_URL: `http://127.0.0.1:${port}` } })
    browser = await openBrowser(join(folder.path, "profile"))
    const program = {
      slug: "evening-peak",
      name: "Evening Peak",
      states: ["CA"],
      eligibility: {
        all: [
          { attribute: "type", operator: "in", value: ["battery", "inverter", "meter"] },
          { attribute: "manufacturer", operator: "eq", value: "simulator" }
        ]
      }
    }
    await call("POST", "/v1/programs", program, server.credentials.managementKey)
    instance = await call("POST", "/v1/programInstances", {
      slug: "evening-peak-2026",
      programSlug: program.slug,
      title: "Evening Peak 2026",
      description: "Your battery helps on hot evenings.",
      eligibilityCriteria: "Homes in California with a battery.",
      programTerms: "Up to 20 evenings a year."
    })
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
    await folder.remove()
  })

  const fill = async (page: Page, values: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(values)) {
      await page.evaluate(`document.querySelector("[name=${name}]").focus()`)
      await page.evaluate(`document.activeElement.select?.()`)
      await page.type(value)
    }
  }
  const click = (page: Page, selector: string) =>
    page.evaluate(`void document.querySelector(${JSON.stringify(selector)}).click()`)

  describe.each([
    ["with scripts", true],
    ["without scripts", false]
  ] as const)("%s", (_, scripts) => {
    test("a person enrolls, connects a device and reads what is still to be done", async () => {
      const page = await browser.newPage({ apart: true })
      await page.emulate({ scripts, size: [390, 844], language: "en" })
      await page.goTo(server.baseUrl + instance.enrollPath)
      await page.follow("a.button.main")
      const email = `ada-${++people}@example.com`
      await fill(page, {
        firstName: "Ada",
        lastName: "Okafor",
        email,
        streetOne: `${people} Capitol Mall`,
        city: "Sacramento"
      })
      await fill(page, { state: "CA", postalCode: "95814" })
      // The terms are not accepted yet: nothing of the rest is lost.
      await page.follow("form .button.main")
      await page.until(`document.querySelector(".summary a[href='#field-accept']") !== null`)
      await click(page, "#field-accept")
      await page.follow("form .button.main")
      await page.until(isPage("status"))
      const own = await page.evaluate("location.pathname")

      // The program names one manufacturer, so the person does not choose.
      await click(page, "form .button.main")
      await page.until(isPage("consent"))
      await click(page, "[name=granted][value=yes]")
      await page.until(atManufacturer)
      await click(page, "[name=account][value=sunny]")
      await click(page, "[name=decision][value=approve]")
      await page.until(isPage("system"))
      await page.evaluate(
        `void [...document.querySelectorAll("[name=device]")].slice(1).forEach((box) => (box.checked = false))`
      )
      await click(page, "form .button.main")
      await page.until(isPage("status"))
      expect(await page.evaluate("location.pathname")).toBe(own)
      const done = `[...document.querySelectorAll(".finished h3")].map((each) => each.textContent.trim())`
      expect(await page.evaluate(done)).toContain("Connect a device at your home")
      expect(page.complaints.filter((text) => !/status of 422/u.test(text))).toEqual([])
      const strays = page.requests.filter((url) => new URL(url).origin !== server.baseUrl)
      expect(strays).toEqual([])
      expect(page.requests.filter((url) => url.includes("service_scoped_token"))).toEqual([])

      const { data } = await call("GET", `/v1/programInstances/${instance.id}/enrollments`)
      expect(data[0]).toMatchObject({ acceptedTerms: { version: 1 }, address: { streetOne: `${people} Capitol Mall` } })
      await page.close()
      const { data: sessions } = await call("GET", "/v1/connections?status=SUCCESS")
      await call("DELETE", `/v1/connections/${sessions[0].id}`)
    })
  })
})
