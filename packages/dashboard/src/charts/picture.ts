import { type Pattern, type Series, seriesPatterns } from "./series.ts"

interface Picture {
  /** An element of the page, whose colours are taken. */
  readonly element: HTMLElement
  readonly chart: HTMLCanvasElement
  readonly title: string
  readonly series: ReadonlyArray<Series>
}

const MARGIN = 16
const LINE = 24
/** The width of a mark of the legend. */
const MARK = 22
const DASHES: Readonly<Record<Pattern, Array<number>>> = {
  0: [],
  1: [6, 3],
  2: [3, 3],
  3: [8, 3, 2, 3],
  4: [9, 4],
  5: [10, 3, 3, 3],
  6: [3, 4]
}

/** Draws a chart with its title and its legend as a PNG file. */
export const drawPicture = ({ element, chart, title, series }: Picture): Promise<Blob> => {
  const width = element.clientWidth
  const scale = chart.width / width
  const canvas = document.createElement("canvas")
  const context = canvas.getContext("2d")!
  const font = (weight: string, size: number) => `${weight} ${size}px system-ui, sans-serif`
  context.font = font("normal", 13)
  let [x, line] = [MARGIN, 1]
  const legend = series.map((each) => {
    const { name } = each
    const length = MARK + 6 + context.measureText(name).width
    if (x > MARGIN && x + length > width - MARGIN) [x, line] = [MARGIN, line + 1]
    const place = { ...each, x, y: MARGIN + LINE * line + LINE / 2 }
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
  const patterns = seriesPatterns(series)
  for (const each of legend) {
    const paint = color(`--chart-${each.color}`)
    const isLine = each.kind !== "bar"
    context.strokeStyle = paint
    context.fillStyle = paint
    context.lineWidth = 3
    context.setLineDash(isLine ? DASHES[patterns.get(each.id)!] : [])
    context.beginPath()
    context.moveTo(each.x, each.y)
    context.lineTo(each.x + MARK, each.y)
    if (isLine) context.stroke()
    else context.fillRect(each.x, each.y - 6, MARK, 12)
    context.fillStyle = color("--text")
    context.fillText(each.name, each.x + MARK + 6, each.y)
  }
  probe.remove()
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (file) => (file === null ? reject(new Error("The picture is too large")) : resolve(file)),
      "image/png"
    )
  )
}
