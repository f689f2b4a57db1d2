import { distance, isHome } from "@edp/server/devices/deviceRow"
import { describe, expect, test } from "vitest"

const place = (latitude: number, longitude: number) => ({ latitude, longitude })

describe("the distance between two coordinates", () => {
  test.each([
    ["the same place", place(38.5, -121.5), place(38.5, -121.5), 0],
    ["a degree along the equator", place(0, 0), place(0, 1), 111_195],
    ["a degree of latitude", place(45, 7), place(46, 7), 111_195],
    ["across the date line", place(0, 179.5), place(0, -179.5), 111_195],
    ["the other side of the earth", place(0, 0), place(0, 180), 20_015_115],
    ["pole to pole", place(90, 12), place(-90, -77), 20_015_115],
    ["Paris to London", place(48.8566, 2.3522), place(51.5074, -0.1278), 343_556]
  ])("%s", (_, from, to, metres) => {
    expect(Math.abs(distance(from, to) - metres)).toBeLessThan(2)
    expect(distance(to, from)).toBe(distance(from, to))
  })
})

describe("isHome", () => {
  const home = place(38.5, -121.5)
  const metresNorth = (metres: number) => place(38.5 + metres / 111_195.08, -121.5)

  test("is true up to 250 m and false beyond", () => {
    expect(isHome(metresNorth(249.9), home)).toBe(true)
    expect(isHome(metresNorth(250.1), home)).toBe(false)
  })

  test("is null when either location is unknown", () => {
    expect(isHome(null, home)).toBeNull()
    expect(isHome(home, null)).toBeNull()
  })
})
