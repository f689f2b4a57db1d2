import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

/** The checker of accessibility, as a script for a page. */
export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** An expression with the violations on a page: of the rules of WCAG 2.2 A and AA, and of what else axe advises. */
export const runAxe = `axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 200) + " " + failureSummary)))`
