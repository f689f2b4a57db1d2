/** Addresses of the static files, each with its version, so that browsers may keep them for ever. */
export interface AssetPaths {
  readonly styles: string
  readonly script: string
  readonly icon: string
  /** The style sheet for an accent colour. */
  readonly accent: (hex: string) => string
}
