import { shownUnit, shownValue, temperatureText, typedTemperature } from "@edp/dashboard/i18n/units"
import { expect, test } from "vitest"

const metric = { temperatureUnit: "C", distanceUnit: "km" } as const
const imperial = { temperatureUnit: "F", distanceUnit: "mi" } as const

test("temperatures and distances are shown in the units of the workspace, and other figures stay", () => {
  expect(shownUnit("°F", metric)).toBe("°C")
  expect(shownValue(68, "°F", metric)).toBe(20)
  expect(shownUnit("mi", metric)).toBe("km")
  expect(shownValue(100, "mi", metric)).toBeCloseTo(160.9344, 10)
  expect(shownUnit("mph", metric)).toBe("km/h")
  expect(shownUnit("W", metric)).toBe("W")
  expect(shownValue(500, "W", metric)).toBe(500)
  expect(shownUnit("°F", imperial)).toBe("°F")
  expect(shownValue(68.5, "°F", imperial)).toBe(68.5)
})

test("a typed temperature comes back as the same text, whatever was typed to two digits", () => {
  for (let hundredths = -4000; hundredths <= 8000; hundredths++) {
    const text = String(hundredths / 100)
    expect(temperatureText(typedTemperature(text, metric), metric)).toBe(text)
    expect(typedTemperature(text, imperial)).toBe(text)
  }
})

test("a text that is no number is left to the form", () => {
  expect(typedTemperature("warm", metric)).toBe("warm")
  expect(temperatureText("warm", metric)).toBe("warm")
  expect(typedTemperature("", metric)).toBe("")
  expect(typedTemperature("21,5", metric)).toBe("70.7")
})
