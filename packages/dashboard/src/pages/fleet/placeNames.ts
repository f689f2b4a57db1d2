import outlines from "virtual:outlines"
import { cities } from "./cities.ts"
import type { MapView, Size } from "./projection.ts"
import { project } from "./projection.ts"

interface PlaceName {
  readonly name: string
  readonly lon: number
  readonly lat: number
}

/** The widths of the earth in pixels from which names of each kind are shown. */
const STATES_FROM = 2 ** 11
const CITIES_FROM = 2 ** 13

const places = (list: ReadonlyArray<readonly [name: string, lon: number, lat: number]>): ReadonlyArray<PlaceName> =>
  list.map(([name, lon, lat]) => ({ name, lon, lat }))

const [countries, states, towns] = [places(outlines.countryNames), places(outlines.stateNames), places(cities)]

/** The names for a view: countries from afar, states nearer, cities nearest. */
const named = ({ scale }: MapView): ReadonlyArray<PlaceName> =>
  scale < STATES_FROM ? countries : scale < CITIES_FROM ? states : [...towns, ...states]

export interface Label {
  readonly name: string
  readonly x: number
  readonly y: number
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const overlap = (one: Box, other: Box) =>
  Math.abs(one.x - other.x) * 2 < one.width + other.width && Math.abs(one.y - other.y) * 2 < one.height + other.height

const LINE = 16

/** The names that fit into a view beside each other and beside what is drawn already. A name goes below its place where it is taken. */
export const placeLabels = (
  view: MapView,
  size: Size,
  taken: ReadonlyArray<Box>,
  width: (name: string) => number
): ReadonlyArray<Label> => {
  const boxes = [...taken]
  const labels: Array<Label> = []
  for (const { lat, lon, name } of named(view)) {
    const { x, y } = project(view, size, lon, lat)
    if (x < 0 || y < 0 || x > size.width || y > size.height) continue
    for (const shift of [0, 2 * LINE, -2 * LINE]) {
      const box = { x, y: y + shift, width: width(name) + 8, height: LINE }
      if (boxes.some((each) => overlap(box, each))) continue
      boxes.push(box)
      labels.push({ name, x, y: y + shift })
      break
    }
  }
  return labels
}
