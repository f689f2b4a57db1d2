import type { Series } from "./series.ts"

interface Picture {
  /** An element of the page, whose colours are taken. */
  readonly element: HTMLElement
  readonly chart: HTMLCanvasElement
  readonly title: string
  readonly series: ReadonlyArray<Series>
}

const MARGIN = 16
const LINE = 24

/** Draws a chart with its title and its legend as a PNG file. */
export const drawPicture = ({ element, chart, title, series }: Picture): Promise<Blob> => {
  const width = element.clientWidth
  const scale = chart.width / width
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d")!
  const font = (weight: string, size: number) => `${weight} ${size}px system-ui, sans-serif`
  context.font = font("normal", 13)
  let [x, line] = [MARGIN, 1]
  const legend = series.map(({ name, color }) => {
    const length = 18 + context.measureText(name).width
    if (x > MARGIN && x + length > width - MARGIN) [x, line] = [MARGIN, line + 1]
    const place = { name, color, x, y: MARGIN + LINE * line }
    x += length + 16
    return place
  })
  const head = MARGIN + LINE * (line + 1)
  canvas.width = chart.width
  canvas.height = chart.height + head * scale
  const probe = document.createElement("span")
  element.append(probe)
  const color = (name: string) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  }
  context.fillStyle = color("--card")
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(chart, 0, head * scale)
  context.scale(scale, scale)
  context.textBaseline = "middle"
  context.fillStyle = color("--text")
  context.font = font("600", 15)
  context.fillText(title, MARGIN, MARGIN + LINE / 2)
  context.font = font("normal", 13)
  for (const each of legend) {
    context.fillStyle = color(`--chart-${each.color}`)
    context.fillRect(each.x, each.y + LINE / 2 - 6, 12, 12)
    context.fillStyle = color("--text")
    context.fillText(each.name, each.x + 18, each.y + LINE / 2)
  }
  probe.remove()
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (file) => (file === null ? reject(new Error("The picture is too large")) : resolve(file)),
      "image/png"
    )
  )
}
