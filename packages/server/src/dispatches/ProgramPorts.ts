import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DependentsOfInstance } from "../programs/ProgramInstances.ts"
import { queryRows } from "../platform/sql/rows.ts"

const EnrollmentsDispatchesRow = Schema.Struct({ enrollments: Schema.Boolean, dispatches: Schema.Boolean })

/** Implements the port of programs. */
export const InstanceDependentsLive = Layer.effect(
  DependentsOfInstance,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (id: string) =>
      queryRows(EnrollmentsDispatchesRow)(sql`SELECT
          EXISTS (SELECT FROM enrollments WHERE program_instance_id = ${id}) AS enrollments,
          EXISTS (SELECT FROM dispatches WHERE program_instance_id = ${id}) AS dispatches`).pipe(
        Effect.map(([row]) => row!)
      )
  }))
)
