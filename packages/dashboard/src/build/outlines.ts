import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { feature, mesh } from "topojson-client"
import type { Plugin } from "vite"

/** The name under which pages import the outlines. */
const NAME = "virtual:outlines"

type Topology = Parameters<typeof mesh>[0]
type Geometry = NonNullable<Parameters<typeof mesh>[1]>

/** Steps of a degree: a tenth is 11 km, about a pixel on the map of a continent. */
const STEPS = 10

const read = async (path: string): Promise<Topology> =>
  JSON.parse(await readFile(createRequire(import.meta.url).resolve(path), "utf8"))

type Line = ReadonlyArray<readonly [number, number]>

/**
 * Encodes a line in steps of a degree: each point is the difference from the previous one, and equal points are left out. The list is
 * flat, because a list of pairs is twice as long.
 */
const shorten = (line: Line): ReadonlyArray<number> => {
  const flat: Array<number> = []
  let [x, y] = [0, 0]
  for (const [longitude, latitude] of line) {
    const [nextX, nextY] = [Math.round(longitude! * STEPS), Math.round(latitude! * STEPS)]
    if (flat.length > 0 && nextX === x && nextY === y) continue
    flat.push(nextX - x, nextY - y)
    ;[x, y] = [nextX, nextY]
  }
  return flat
}

const readLines = (topology: Topology, name: string): ReadonlyArray<ReadonlyArray<number>> =>
  (mesh(topology, topology.objects[name] as Geometry).coordinates as unknown as ReadonlyArray<Line>)
    .map(shorten)
    .filter((line) => line.length > 4)

/** The area of a ring, in square degrees as they look on the map, and its middle. */
const middle = (ring: Line) => {
  let [doubled, x, y] = [0, 0, 0]
  for (const [index, [lon, lat]] of ring.entries()) {
    const [nextLon, nextLat] = ring[(index + 1) % ring.length]!
    const cross = lon * nextLat - nextLon * lat
    doubled += cross
    x += (lon + nextLon) * cross
    y += (lat + nextLat) * cross
  }
  return { area: Math.abs(doubled) / 2, lon: x / (3 * doubled), lat: y / (3 * doubled) }
}

interface Shape {
  readonly properties: { readonly name?: string } | null
  readonly geometry: {
    readonly type: string
    readonly coordinates: ReadonlyArray<Line> | ReadonlyArray<ReadonlyArray<Line>>
  }
}

const rounded = (value: number) => Math.round(value * STEPS) / STEPS

/** The names of areas, each with the middle of its largest part; the largest area first. */
const readNames = (topology: Topology, name: string): ReadonlyArray<readonly [string, number, number]> => {
  const { features } = feature(topology, topology.objects[name] as never) as unknown as {
    readonly features: ReadonlyArray<Shape>
  }
  return features
    .flatMap(({ geometry, properties }) => {
      const parts = (geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates) as ReadonlyArray<
        ReadonlyArray<Line>
      >
      const [largest] = parts.map(([ring]) => middle(ring!)).toSorted((one, other) => other.area - one.area)
      return largest === undefined || properties?.name === undefined ? [] : [{ name: properties.name, ...largest }]
    })
    .toSorted((one, other) => other.area - one.area)
    .map(({ lat, lon, name: label }) => [label, rounded(lon), rounded(lat)] as const)
}

/**
 * Coasts, borders of countries and of the states of the United States, and their names. The data is Natural Earth's and the Census Bureau's, both in
 * the public domain, in the form of the packages world-atlas and us-atlas (ISC).
 */
export const outlines = (): Plugin => ({
  name: "outlines",
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  load: async (id) => {
    if (id !== `\0${NAME}`) return undefined
    const [world, states] = await Promise.all([
      read("world-atlas/countries-110m.json"),
      read("us-atlas/states-10m.json")
    ])
    const data = {
      steps: STEPS,
      countries: readLines(world, "countries"),
      states: readLines(states, "states"),
      countryNames: readNames(world, "countries"),
      stateNames: readNames(states, "states")
    }
    return `export default JSON.parse(${JSON.stringify(JSON.stringify(data))})`
  }
})
