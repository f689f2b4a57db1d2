import { Effect } from "effect"
import { SqlClient, Statement } from "effect/sql"

interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Plan Rows": number
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly "Rows Removed by Index Recheck"?: number
  readonly Plans?: ReadonlyArray<PlanNode>
}

const listNodes = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(listNodes)]

/** A few hundred short rows, which the planner may read whole for each row that it joins with them. */
const small = "manufacturers"

const countRead = (node: PlanNode) => {
  if (node["Relation Name"] === small) return 0
  if (!node["Node Type"].includes("Scan") || node["Node Type"] === "Subquery Scan") return 0
  const each =
    node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0)
  return each * node["Actual Loops"]
}

/** Runs the effect and returns the rows that its statements read, from the plan of each when it is repeated. */
export const readRows = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements: Array<readonly [text: string, parameters: ReadonlyArray<unknown>]> = []
    const response = yield* Effect.provideService(effect, Statement.CurrentTransformer, (statement) => {
      statements.push(statement.compile())
      return Effect.succeed(statement)
    })
    const plans = yield* Effect.forEach(statements, ([text, parameters]) =>
      sql.unsafe<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: PlanNode }> }>(
        `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
        parameters
      )
    )
    const nodes = plans.flatMap(([row]) => listNodes(row!["QUERY PLAN"][0]!.Plan))
    return {
      response,
      statements: statements.length,
      /** Rows that were read from tables and indexes, used or not, but for those of manufacturers. */
      rows: nodes.reduce((sum, node) => sum + countRead(node), 0),
      /** Those that the plans name; which of them it looks into is decided while a plan runs. */
      indexes: new Set(nodes.flatMap((node) => node["Index Name"] ?? [])),
      /** The steps of the plans, such as `Gather Merge`. */
      steps: new Set(nodes.map((node) => node["Node Type"])),
      /** The most groups that the planner expects of a step. */
      expectedGroups: Math.max(0, ...nodes.map((node) => (node["Node Type"] === "Aggregate" ? node["Plan Rows"] : 0)))
    }
  })
