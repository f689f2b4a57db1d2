/** A colour in sRGB: red, green and blue from 0 to 255. */
export type Color = readonly [number, number, number]

export const parseColor = (hex: string): Color => {
  const value = Number.parseInt(hex.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

export const formatColor = (color: Color) =>
  `#${color.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`

const linear = (channel: number) => {
  const share = channel / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

/** Relative luminance as WCAG 2.2 defines it, 0 to 1. */
const luminance = ([red, green, blue]: Color) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

/** Contrast ratio as WCAG 2.2 defines it, 1 to 21. */
export const contrast = (one: Color, other: Color) => {
  const [first, second] = [luminance(one), luminance(other)]
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05)
}

const black: Color = [0, 0, 0]
const white: Color = [255, 255, 255]

const mix = (color: Color, other: Color, share: number): Color => [
  Math.round(color[0] + (other[0] - color[0]) * share),
  Math.round(color[1] + (other[1] - color[1]) * share),
  Math.round(color[2] + (other[2] - color[2]) * share)
]

/** Black or white, whichever is easier to read on the colour. One of the two always reaches 4.58:1. */
export const readableOn = (color: Color): Color => (contrast(color, white) >= contrast(color, black) ? white : black)

/** The colour, changed no more than it takes to stand out from every given background by the ratio. */
export const standingOut = (color: Color, backgrounds: ReadonlyArray<Color>, ratio: number): Color => {
  const suffices = (candidate: Color) => backgrounds.every((each) => contrast(candidate, each) >= ratio)
  const direction = readableOn(backgrounds[0]!)
  for (let share = 0; share < 1; share += 0.02) {
    const candidate = mix(color, direction, share)
    if (suffices(candidate)) return candidate
  }
  return direction
}

/** WCAG 2.2 AA: 4.5:1 for text, 3:1 for the outline of controls. */
export const ratios = { text: 4.5, outline: 3 } as const

/** Backgrounds of the tokens that the dashboard and the hosted pages share: the page, a card, and a marked card. */
export const backgrounds = {
  light: ["#ffffff", "#f5f6f8", "#eef1f5"].map(parseColor),
  dark: ["#101418", "#181d23", "#222931"].map(parseColor)
} as const

/** Colours of buttons and links that are made from an accent colour. */
export interface Palette {
  /** Surface of the main button. */
  readonly accent: Color
  readonly accentHover: Color
  readonly onAccent: Color
  /** Edge of the main button, and of selected controls. */
  readonly accentEdge: Color
  /** Links and the outline of the focus. */
  readonly link: Color
}

export const makePalette = (accent: Color, scheme: keyof typeof backgrounds): Palette => {
  const onAccent = readableOn(accent)
  return {
    accent,
    // Away from the text's colour, so that the contrast grows.
    accentHover: mix(accent, onAccent === white ? black : white, 0.14),
    onAccent,
    accentEdge: standingOut(accent, backgrounds[scheme], ratios.outline),
    link: standingOut(accent, backgrounds[scheme], ratios.text)
  }
}

const declarations = (palette: Palette) =>
  Object.entries(palette)
    .map(
      ([name, color]) => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}:${formatColor(color)}`
    )
    .join(";")

/** A style sheet that replaces the standard accent. */
export const accentStyles = (hex: string): string => {
  const accent = parseColor(hex)
  const light = declarations(makePalette(accent, "light"))
  const dark = declarations(makePalette(accent, "dark"))
  return `:root{${light}}@media (prefers-color-scheme:dark){:root:not([data-scheme="light"]){${dark}}}:root[data-scheme="dark"]{${dark}}`
}
