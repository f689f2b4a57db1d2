import { readFileSync } from "node:fs"
import { languages } from "@edp/domain/shared/Language"
import { setupInstructions } from "@edp/adapter-ocpp/setupInstructions"
import { setupByProduct, stationProducts, stationSetups, type StationSetup } from "@edp/adapter-ocpp/stationSetups"
import { describe, expect, it, test } from "vitest"
import { startPlatform } from "./platform.ts"

const station = { address: "wss://energy.example.com/ocpp/", stationId: "CP-1", password: "0123456789abcdef" }

const where = ({ choose = {}, menu = [], tool, turnOn = [] }: StationSetup) =>
  [
    tool?.name,
    menu.join(" › "),
    ...turnOn.map((name) => `${name}: on`),
    ...Object.entries(choose).map(([name, value]) => `${name}: ${value}`)
  ]
    .filter((part) => part !== undefined && part !== "")
    .join("; ")

const typed = ({ fixedId, labels = {} }: StationSetup) =>
  [
    labels.address,
    fixedId === undefined ? labels.stationId : `id: its ${fixedId}`,
    labels.password === null ? "no field for the password known" : labels.password
  ]
    .filter((part) => part !== undefined)
    .join("; ")

const row = (setup: StationSetup) => {
  const { firmware, maker, models, notes = [], source } = setup
  const remarks = [...(firmware === undefined ? [] : [`Oldest firmware: ${firmware}.`]), ...notes].join(" ")
  return `| ${maker} | ${models.join(", ")} | ${where(setup)} | ${typed(setup)} | ${remarks} | ${source} |`
    .replaceAll("<", "\\<")
    .replace(/ {2,}/gu, " ")
}

describe("the setups of stations", () => {
  it("are the table of their page", () => {
    const page = readFileSync(new URL("../../../docs/ocpp-stations.md", import.meta.url), "utf8").split("\n")
    expect(page.filter((line) => line.startsWith("| ")).slice(1)).toEqual(stationSetups.map(row))
    expect(page.join("\n")).toContain(
      `${stationProducts.length} products of ${new Set(stationSetups.map(({ maker }) => maker)).size} makers`
    )
  })

  it("name each product once", () => {
    expect(stationProducts).toHaveLength(stationSetups.flatMap(({ models }) => models).length)
  })

  test.each(stationSetups.map((setup) => [setup.maker, setup.models[0]!, setup] as const))(
    "%s %s: the address and the password are typed in, and all steps are in all languages",
    (_maker, _model, setup) => {
      const instructions = setupInstructions(setup, station)
      expect(instructions.filter(({ secret }) => secret).map(({ value }) => value)).toEqual([station.password])
      expect(instructions.some(({ value }) => value?.includes("energy.example.com/ocpp") === true)).toBe(true)
      expect(instructions.some(({ value }) => value === "CP-1")).toBe(setup.fixedId === undefined)
      for (const { label } of instructions.filter(({ isNote }) => isNote !== true)) {
        expect(Object.keys(label).toSorted()).toEqual([...languages].toSorted())
      }
    }
  )
})

describe("the form of a station", () => {
  it("leads to the settings of the product", async () => {
    const { instance, run, stop } = await startPlatform()
    const { authorization } = instance
    if (authorization.kind !== "inbound") throw new Error("Stations open the connection")
    const product = "Wallbox Pulsar Plus"
    const { account, instructions } = await run(authorization.invite({ product }))
    expect(instructions.map(({ label: { en }, value }) => [en, value])).toEqual([
      ["Open the app myWallbox.", null],
      ["Turn on “Enable OCPP”.", null],
      ["Enter in “URL”", "wss://energy.example.com/ocpp"],
      ["Enter in “Charge Point Identity”", account.externalId],
      ["Enter in “Password”", expect.stringMatching(/^[0-9a-f]{32}$/)],
      ["Save the settings and restart the station.", null],
      ...setupByProduct(product)!.notes!.map((note) => [note, null])
    ])
    await expect(run(authorization.invite({ product: "EN+ Caro" }))).rejects.toThrow("with its serial number")
    const { account: fixed } = await run(authorization.invite({ product: "EN+ Caro", stationId: "SN10052204" }))
    expect(fixed.externalId).toBe("SN10052204")
    await stop()
  })
})
