import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { readTemplate } from "@edp/adapter-templates/readTemplate"
import { Effect, Logger } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { FakeManufacturer } from "../../support/peers/fakeManufacturer.ts"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { fingerprint, httpForm } from "../../adapters/templates/httpForms.ts"
import { arrangeConnections, newPerson } from "../connections/arrangeConnections.ts"

const page = readFileSync(new URL("../../../docs/local-devices.md", import.meta.url), "utf8")
const [example] = [...page.matchAll(/```json\n(.*?)```/gs)]
  .map(([, text]) => JSON.parse(text!) as Record<string, unknown>)
  .filter(({ protocol }) => protocol === "http")
const document = { ...example, tls: "optional" }
const result = readTemplate(document)
if ("problems" in result) throw new Error(JSON.stringify(result.problems))
const template = result.template as HttpTemplate

const folder = mkdtempSync(join(tmpdir(), "edp-templates-"))
writeFileSync(join(folder, "acme-hybrid.json"), JSON.stringify(document))
afterAll(() => rmSync(folder, { recursive: true }))

describe("a device of an operator's template over HTTP", () => {
  const app = useTestApp({ env: { EDP_TEMPLATES_DIR: folder } })

  it.each([
    ["plain HTTP", undefined],
    ["TLS with a pinned certificate", localhostCertificate]
  ])("is linked by the hosted form over %s and read", async (_, tls) => {
    const device = await startHttpDevice(template, tls)
    const { must, open } = await arrangeConnections(app, new FakeManufacturer())
    const session = await open({
      customerInfo: newPerson(),
      referenceId: tls === undefined ? "user-1" : "user-2",
      manufacturerFilters: { manufacturers: ["acme-http"] }
    })
    await session.open()
    expect(await session.show(session.consent())).toMatchObject({ page: "form", manufacturer: "Acme HTTP" })
    const form = httpForm(template, device.port, {
      tls: tls === undefined ? "no" : "yes",
      ...(tls !== undefined && { fingerprint: fingerprint() })
    })
    const { fingerprint: shown = "", ...unpinned } = form
    const wrong = await session.show(
      session.submitForm(tls === undefined ? { ...form, password: "wrong-password" } : unpinned)
    )
    expect(wrong).toMatchObject({
      page: "form",
      failure: { says: expect.stringContaining(tls === undefined ? "refuses the login" : shown) }
    })
    const system = await session.show(session.submitForm(form))
    if (system.page !== "system") throw new Error(JSON.stringify(system))
    expect(system.devices).toMatchObject([
      { manufacturerDeviceId: "AC-77/battery" },
      { manufacturerDeviceId: "AC-77/meter" }
    ])
    const ids = system.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    expect((await session.show(session.chooseDevices(ids, system.address?.values ?? null))).page).toBe("done")

    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    const { data } = await must(200, "GET", "/v1/devices")
    const battery = data.find(({ manufacturerDeviceId }: { manufacturerDeviceId: string }) =>
      manufacturerDeviceId.endsWith("/battery")
    )
    expect(new Set(data.map(({ siteId }: { siteId: string }) => siteId)).size).toBe(1)
    expect(battery).toMatchObject({ staticState: { capacity: 10_000 }, serialNumber: "AC-77" })
    await eventually("the reading", async () => {
      const { state } = await must(200, "GET", `/v1/devices/${battery.id}`)
      return state?.chargeRate === -1500 ? true : undefined
    })
    await device.close()
  })
})
