/** The environment variable of an adapter's setting. */
export const settingName = (slug: string, field: string): string =>
  `EDP_${`${slug}_${field.replaceAll(/[A-Z]/g, (letter) => `_${letter}`)}`.replaceAll("-", "_").toUpperCase()}`
