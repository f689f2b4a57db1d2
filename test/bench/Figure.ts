/** One measured figure. Nearly all are ratios of two things measured in turns in the same run. */
export interface Figure {
  readonly name: string
  readonly measured: number
  readonly unit: "×" | "MB" | "s" | "ms" | "%"
  /** The target; without it the figure is only informative. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number }
  /** The absolute values behind the ratio: they hold for this machine only. */
  readonly behind?: string
}

export interface Benchmark {
  readonly name: string
  readonly run: (setting: Setting) => Promise<ReadonlyArray<Figure>>
}

export interface Setting {
  /** Says what is going on; goes to standard error. */
  readonly note: (text: string) => void
  /** Multiplies how long each round lasts. */
  readonly patience: number
  /** A folder for CPU profiles of the platform's process; they are written when it stops, and cost a little. */
  readonly profiles: string | undefined
}

export const passes = ({ measured, target }: Figure): boolean | undefined => {
  if (target === undefined) return undefined
  return "atLeast" in target ? measured >= target.atLeast : measured <= target.atMost
}
