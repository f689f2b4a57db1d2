import { dispatchLimits } from "../dispatchLimits.ts"
import type { SiteFigures } from "./outcomeValues.ts"

const { recentFiguresSeconds, recentFiguresTookMs, recentSites } = dispatchLimits

/** The intervals of a dispatch that have passed. */
interface Frame {
  readonly dispatchId: string
  readonly passed: number
  /** Milliseconds since 1970. */
  readonly now: number
}

interface Recent {
  readonly passed: number
  readonly until: number
  readonly figures: Map<string, SiteFigures>
}

/**
 * Figures of dispatches that run, which change with each reading. Those that took long to compute serve the other pages of the report, and
 * whoever opens it again, for a short time.
 */
export class RecentFigures {
  readonly #dispatches = new Map<string, Recent>()

  find({ dispatchId, now, passed }: Frame, siteId: string): SiteFigures | undefined {
    const recent = this.#dispatches.get(dispatchId)
    return recent?.passed === passed && now < recent.until ? recent.figures.get(siteId) : undefined
  }

  /** Keeps figures that took some milliseconds to compute. */
  keep({ dispatchId, now, passed }: Frame, took: number, figures: Iterable<readonly [string, SiteFigures]>) {
    if (took < recentFiguresTookMs) return
    const known = this.#dispatches.get(dispatchId)
    // All figures of a report are as old as the first ones.
    const isCurrent = known?.passed === passed && now < known.until
    const until = isCurrent ? known.until : now + took + recentFiguresSeconds * 1000
    this.#dispatches.delete(dispatchId)
    this.#dispatches.set(dispatchId, {
      passed,
      until,
      figures: new Map([...(isCurrent ? known.figures : []), ...figures])
    })
    let sites = [...this.#dispatches.values()].reduce((sum, recent) => sum + recent.figures.size, 0)
    for (const [id, recent] of this.#dispatches) {
      if (sites <= recentSites && recent.until > now) continue
      sites -= recent.figures.size
      this.#dispatches.delete(id)
    }
  }
}
