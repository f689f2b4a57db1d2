/** The view of a map: the middle in degrees, and how many pixels the earth is wide. */
export interface MapView {
  readonly lon: number
  readonly lat: number
  readonly scale: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

/** Mercator's projection ends here: beyond it the poles are infinitely far. */
const LAST_LATITUDE = 85

export const LEAST_SCALE = 256
export const GREATEST_SCALE = 256 * 2 ** 17

const clamp = (value: number, least: number, greatest: number) => Math.min(greatest, Math.max(least, value))

/** From 0 at the 180th meridian to 1 around the earth. */
const toX = (lon: number) => lon / 360 + 0.5

const toY = (lat: number) => {
  const sine = Math.sin((clamp(lat, -LAST_LATITUDE, LAST_LATITUDE) * Math.PI) / 180)
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
}

const toLatitude = (y: number) => (Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI

/** The pixel of a place. */
export const project = ({ lat, lon, scale }: MapView, { height, width }: Size, placeLon: number, placeLat: number) => ({
  x: width / 2 + (toX(placeLon) - toX(lon)) * scale,
  y: height / 2 + (toY(placeLat) - toY(lat)) * scale
})

/** The view moved by pixels. */
export const panned = (view: MapView, dx: number, dy: number): MapView => ({
  ...view,
  lon: clamp(view.lon + (dx / view.scale) * 360, -180, 180),
  lat: clamp(toLatitude(clamp(toY(view.lat) + dy / view.scale, 0, 1)), -LAST_LATITUDE, LAST_LATITUDE)
})

/** The view zoomed by a factor around a pixel, which keeps its place. */
export const zoomed = (view: MapView, size: Size, factor: number, x = size.width / 2, y = size.height / 2): MapView => {
  const scale = clamp(view.scale * factor, LEAST_SCALE, GREATEST_SCALE)
  const real = scale / view.scale
  const [dx, dy] = [x - size.width / 2, y - size.height / 2]
  return panned({ ...view, scale }, dx * (real - 1), dy * (real - 1))
}

interface Coordinates {
  readonly lat: number
  readonly lon: number
  readonly sites: number
}

/** The range of a coordinate without the outermost hundredth of the sites on either side: a few islands would shrink the rest. */
const middleRange = (places: ReadonlyArray<Coordinates>, coordinate: (place: Coordinates) => number) => {
  const sorted = places
    .map((place) => ({ at: coordinate(place), sites: place.sites }))
    .toSorted((one, other) => one.at - other.at)
  const left = sorted.reduce((sum, { sites }) => sum + sites, 0) / 100
  const within = (ordered: typeof sorted) => {
    let passed = 0
    return ordered.find(({ sites }) => (passed += sites) > left)!.at
  }
  return [within(sorted), within(sorted.toReversed())] as const
}

/** The view that shows nearly all sites. */
export const fitted = (places: ReadonlyArray<Coordinates>, size: Size): MapView => {
  if (places.length === 0) return { lon: -98, lat: 39, scale: LEAST_SCALE * 4 }
  const [west, east] = middleRange(places, ({ lon }) => toX(lon))
  const [north, south] = middleRange(places, ({ lat }) => toY(lat))
  const scale = 0.8 * Math.min(size.width / Math.max(east - west, 1e-4), size.height / Math.max(south - north, 1e-4))
  return {
    lon: ((west + east) / 2 - 0.5) * 360,
    lat: toLatitude((north + south) / 2),
    scale: clamp(scale, LEAST_SCALE, LEAST_SCALE * 2 ** 8)
  }
}

/** The size of a cell of the map in pixels, about. */
const CELL = 56

/** The zoom of the service whose cells are nearest to that size, and the part of the earth in view, in whole cells. */
export const visibleBox = (view: MapView, size: Size) => {
  const zoom = clamp(Math.round(Math.log2((22.5 * view.scale) / (360 * CELL))), 0, 20)
  const cell = 22.5 / 2 ** zoom
  const west = view.lon - (size.width / view.scale) * 180
  const east = view.lon + (size.width / view.scale) * 180
  const north = panned(view, 0, -size.height / 2).lat
  const south = panned(view, 0, size.height / 2).lat
  const down = (value: number) => Math.floor(value / cell) * cell
  const up = (value: number) => Math.ceil(value / cell) * cell
  if (east - west >= 360) return { zoom, bbox: undefined }
  const box = [
    clamp(down(west), -180, 180),
    clamp(down(south), -90, 89),
    clamp(up(east), -180, 180),
    clamp(up(north), -89, 90)
  ]
  return { zoom, bbox: box.map((value) => Number(value.toFixed(6))).join(",") }
}
