import type { FleetCell } from "@edp/domain/dashboard/Fleet"
import outlines from "virtual:outlines"
import { placeLabels } from "./placeNames.ts"
import { type MapView, project, type Size } from "./projection.ts"

/** Lines in degrees. */
const unpack = (lines: ReadonlyArray<ReadonlyArray<number>>) =>
  lines.map((flat) => {
    const points = new Float32Array(flat.length)
    let [x, y] = [0, 0]
    for (let index = 0; index < flat.length; index += 2) {
      points[index] = (x += flat[index]!) / outlines.steps
      points[index + 1] = (y += flat[index + 1]!) / outlines.steps
    }
    return points
  })

const [countries, states] = [unpack(outlines.countries), unpack(outlines.states)]

const drawLines = (
  context: CanvasRenderingContext2D,
  view: MapView,
  size: Size,
  lines: ReadonlyArray<Float32Array>
) => {
  context.beginPath()
  for (const points of lines) {
    for (let index = 0; index < points.length; index += 2) {
      const { x, y } = project(view, size, points[index]!, points[index + 1]!)
      if (index === 0) context.moveTo(x, y)
      else context.lineTo(x, y)
    }
  }
  context.stroke()
}

/** The radius of a cell's circle in pixels: its area grows with the number of sites, until it would cover its neighbours. */
export const cellRadius = ({ sites }: FleetCell) => (sites === 1 ? 6 : Math.min(22, 8 + 1.5 * Math.log2(sites)))

const short = (count: number) => {
  if (count < 1000) return String(count)
  return count < 10_000 ? `${(count / 1000).toFixed(1)}k` : `${Math.round(count / 1000)}k`
}

/** A circle of a cell: the part of its ring that is filled is the share of devices that are online. */
const drawCell = (
  context: CanvasRenderingContext2D,
  cell: FleetCell,
  { x, y }: { readonly x: number; readonly y: number },
  color: (name: string) => string,
  isMarked: boolean
) => {
  const radius = cellRadius(cell)
  const share = cell.devices === 0 ? 0 : cell.online / cell.devices
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fillStyle = color(cell.sites === 1 ? (share < 1 && cell.devices > 0 ? "--bad" : "--accent") : "--card")
  context.fill()
  if (cell.sites > 1) {
    context.lineWidth = 4
    context.strokeStyle = color(cell.devices === 0 ? "--line" : "--bad")
    context.stroke()
    context.beginPath()
    context.arc(x, y, radius, -Math.PI / 2, -Math.PI / 2 + 2 * Math.PI * share)
    context.strokeStyle = color("--accent")
    context.stroke()
    context.fillStyle = color("--text")
    context.fillText(short(cell.sites), x, y + 0.5)
  }
  if (cell.alerts > 0) {
    context.beginPath()
    context.arc(x + radius * 0.8, y - radius * 0.8, 4.5, 0, 2 * Math.PI)
    context.fillStyle = color("--warn")
    context.fill()
  }
  if (!isMarked) return
  context.beginPath()
  context.arc(x, y, radius + 5, 0, 2 * Math.PI)
  context.lineWidth = 2
  context.strokeStyle = color("--text")
  context.stroke()
}

/** Draws outlines, names of places and cells. Colours are those of the style sheet at the time. */
export const drawMap = (
  canvas: HTMLCanvasElement,
  view: MapView,
  size: Size,
  cells: ReadonlyArray<FleetCell>,
  marked: FleetCell | undefined
) => {
  const context = canvas.getContext("2d")
  if (context === null) return
  const ratio = devicePixelRatio
  const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)]
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const style = getComputedStyle(canvas)
  // A colour of the sheet has a value for light and for dark, which only a property resolves.
  const color = (name: string) => {
    canvas.style.color = `var(${name})`
    return style.color
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, size.width, size.height)
  context.lineJoin = "round"
  context.lineWidth = 0.7
  context.strokeStyle = color("--line")
  drawLines(context, view, size, states)
  context.lineWidth = 1
  context.strokeStyle = color("--control")
  drawLines(context, view, size, countries)
  context.textAlign = "center"
  context.textBaseline = "middle"
  context.font = `12px ${style.fontFamily}`
  const taken = cells.map((cell) => {
    const side = 2 * cellRadius(cell)
    return { ...project(view, size, cell.lon, cell.lat), width: side, height: side }
  })
  // A rim of the background keeps a name readable over a border.
  context.lineWidth = 3
  for (const { name, x, y } of placeLabels(view, size, taken, (text) => context.measureText(text).width)) {
    context.strokeStyle = color("--card")
    context.strokeText(name, x, y)
    context.fillStyle = color("--muted")
    context.fillText(name, x, y)
  }
  context.font = `600 12px ${style.fontFamily}`
  for (const cell of cells.toSorted((one, other) => one.sites - other.sites)) {
    drawCell(context, cell, project(view, size, cell.lon, cell.lat), color, cell === marked)
  }
  canvas.style.color = ""
}
