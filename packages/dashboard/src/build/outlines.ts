import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { mesh } from "topojson-client"
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

/**
 * Coasts, borders of countries and of the states of the United States. The data is Natural Earth's and the Census Bureau's, both in
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
    const lines = { steps: STEPS, countries: readLines(world, "countries"), states: readLines(states, "states") }
    return `export default JSON.parse(${JSON.stringify(JSON.stringify(lines))})`
  }
})
