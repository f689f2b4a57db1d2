import { columnIds, columnWidths, figureValue, parseColumns, usualColumns } from "@edp/dashboard/pages/fleet/columns"
import { makeFigure } from "@edp/domain/dashboard/Fleet"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { expect, test } from "vitest"

test("a kept choice of columns is read in the order of the list, without what is unknown", () => {
  expect(parseColumns(null)).toEqual(usualColumns)
  expect(parseColumns("")).toEqual([])
  expect(parseColumns("alerts,price,power")).toEqual(["power", "alerts"])
  expect(Object.keys(columnWidths)).toEqual(["check", "name", ...columnIds])
})

test("power, charge and temperature are the values of the newest reading, whatever their fields", () => {
  const values = (type: DeviceType, state: Readonly<Record<string, unknown>>) => {
    const device = { figure: makeFigure(type, state, "2026-03-01T12:00:00.000Z") } as never
    return (["power", "charge", "temperature"] as const).map((column) => figureValue(device, column))
  }
  expect(values("battery", { chargePercentage: 80, chargeRate: -1200 })).toEqual([-1200, 80, undefined])
  expect(values("vehicle", { chargePercentage: 0 })).toEqual([undefined, 0, undefined])
  expect(values("charger", { chargerWattage: 7000 })).toEqual([7000, undefined, undefined])
  expect(values("water_heater", { waterTemperature: 120, power: 0 })).toEqual([0, undefined, 120])
  expect(values("other", { rpm: 3 })).toEqual([undefined, undefined, undefined])
})
