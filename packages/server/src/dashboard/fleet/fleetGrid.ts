import { FLEET_CELLS_LIMIT } from "@edp/domain/dashboard/Fleet"

/** A part of the earth in degrees. */
interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

export const wholeEarth: Box = { west: -180, south: -90, east: 180, north: 90 }

/** The box of a query, which was checked. */
export const makeBox = (text: string): Box => {
  const [west, south, east, north] = text.split(",").map(Number) as [number, number, number, number]
  return { west, south, east, north }
}

/** In degrees, at zoom 0: 16 cells around the earth. */
const LARGEST = 22.5

/** One cell more in each direction, as a box begins within one. */
const PER_SIDE = Math.sqrt(FLEET_CELLS_LIMIT) - 1

/** The size of a cell in degrees: that of the zoom, or larger if the box had too many of them. */
export const cellSize = ({ east, north, south, west }: Box, zoom: number): number => {
  const width = west < east ? east - west : east - west + 360
  const least = Math.max(width, north - south) / PER_SIDE
  let size = LARGEST / 2 ** zoom
  while (size < least) size *= 2
  return size
}
