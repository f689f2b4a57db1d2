import { fitted, panned, project, visibleBox, zoomed } from "@edp/dashboard/pages/fleet/projection"
import { describe, expect, test } from "vitest"
import { Random } from "../../../support/Random.ts"

const size = { width: 900, height: 540 }
const random = new Random(7)
const views = Array.from({ length: 200 }, () => ({
  lon: random.next() * 300 - 150,
  lat: random.next() * 140 - 70,
  scale: 256 * 2 ** (random.next() * 12)
}))

describe("the map", () => {
  test("keeps the place under the pointer when it zooms", () => {
    for (const view of views.filter(({ scale }) => scale > 4096)) {
      const [x, y] = [random.next() * size.width, random.next() * size.height]
      const near = zoomed(view, size, 2, x, y)
      const moved = panned(view, x - size.width / 2, y - size.height / 2)
      const after = project(near, size, moved.lon, moved.lat)
      expect(after.x).toBeCloseTo(x, 3)
      expect(after.y).toBeCloseTo(y, 3)
    }
  })

  test("asks for a box that holds all of its view, in at most 64 cells on a side", () => {
    for (const view of views) {
      const { bbox, zoom } = visibleBox(view, size)
      if (bbox === undefined) continue
      const [west, south, east, north] = bbox.split(",").map(Number) as [number, number, number, number]
      const first = project(view, size, west, north)
      const last = project(view, size, east, south)
      if (west > -180) expect(first.x).toBeLessThanOrEqual(0.01)
      if (east < 180) expect(last.x).toBeGreaterThanOrEqual(size.width - 0.01)
      if (north < 85) expect(first.y).toBeLessThanOrEqual(0.01)
      if (south > -85) expect(last.y).toBeGreaterThanOrEqual(size.height - 0.01)
      expect((east - west) / (22.5 / 2 ** zoom)).toBeLessThan(64)
    }
  })

  test("fits nearly all sites, and not a few far ones", () => {
    const home = [
      { lat: 40, lon: -74, sites: 500 },
      { lat: 34, lon: -118, sites: 499 }
    ]
    const view = fitted([...home, { lat: 13, lon: 145, sites: 1 }], size)
    for (const { lat, lon } of home) {
      const { x, y } = project(view, size, lon, lat)
      expect(x).toBeGreaterThan(0)
      expect(x).toBeLessThan(size.width)
      expect(y).toBeGreaterThan(0)
      expect(y).toBeLessThan(size.height)
    }
    expect(project(view, size, 145, 13).x).toBeGreaterThan(size.width)
    expect(fitted([], size).scale).toBeGreaterThan(256)
  })
})
