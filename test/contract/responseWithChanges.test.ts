import { Effect } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { inTurn } from "../support/rounds.ts"
import { type TestApp, useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, formatRoute } from "./endpoints.ts"
import { requestBodies } from "./requestBodies.ts"
import { seedWorld, type World } from "./world.ts"
import { worldPath } from "./worldPath.ts"

/** Routes that change nothing in the database; the collection that is refreshed is one of members chosen by hand. */
const changeNothing = [
  "POST /v1/collections/preview",
  "POST /v1/collections/:id/refresh",
  "POST /v1/destinations/:id/test",
  "POST /v1/schedules/preview",
  "POST /v1/devices/:id/commands/preview",
  "POST /v1/programInstances/:id/dispatches/preview",
  "POST /v1/programInstances/:id/eligibility",
  // The same result was reported without the version before.
  "POST /v1/devices/:id/commands/:commandId/result"
]

const changing = endpoints
  .filter((endpoint) => endpoint.method === "POST" && !endpoint.returnsSecret)
  .map((endpoint) => ({ endpoint, route: formatRoute(endpoint) }))
  .filter(({ route }) => !changeNothing.includes(route))

/**
 * The state that no request may change: a digest of the rows of each table, in any order, without the record of a key's last use.
 * The postal codes are most of all rows; they are guarded by a trigger instead.
 */
const contents = async (app: TestApp) => {
  const tables = await app.sql<{ readonly name: string }>(
    (
      sql
    ) => sql`SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      AND NOT relispartition AND relname NOT IN ('api_keys', 'idempotent_answers', 'postal_codes') ORDER BY relname`
  )
  const digests = await app.sql<{ readonly name: string; readonly digest: string }>((sql) =>
    sql.unsafe(
      tables
        .map(
          ({ name }) =>
            `SELECT '${name}' AS name, concat(count(*), ' ', sum(hashtextextended(t::text, 0))) AS digest FROM "${name}" t`
        )
        .join(" UNION ALL ")
    )
  )
  return Object.fromEntries(digests.map(({ name, digest }) => [name, digest]))
}

const guardPostalCodes = (app: TestApp) =>
  app.sql((sql) =>
    Effect.as(
      Effect.forEach(
        [
          `CREATE FUNCTION refuse_postal_codes() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no request writes postal codes'; END $$`,
          `CREATE TRIGGER refuse_postal_codes BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON postal_codes
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_postal_codes()`
        ],
        (statement) => sql.unsafe(statement)
      ),
      []
    )
  )

const refuseResponses = (app: TestApp) =>
  app.sql((sql) =>
    Effect.as(
      Effect.forEach(
        [
          `CREATE FUNCTION refuse_answer() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'no response is stored'; END $$`,
          `CREATE TRIGGER refuse_answer BEFORE UPDATE ON idempotent_answers
            FOR EACH ROW WHEN (NEW.status IS NOT NULL) EXECUTE FUNCTION refuse_answer()`
        ],
        (statement) => sql.unsafe(statement)
      ),
      []
    )
  )

const takeResponses = (app: TestApp) => app.sql((sql) => sql.unsafe(`DROP FUNCTION refuse_answer() CASCADE`))

const guarantees = (app: TestApp) => {
  let world: World
  beforeAll(async () => {
    world = await seedWorld(app, "responses")
    await guardPostalCodes(app)
  })

  const makeRequest = (endpoint: Endpoint) => ({
    path: worldPath(endpoint, world),
    options: {
      key: world.keys[endpoint.allowed[0]!],
      body: endpoint.payload && requestBodies[formatRoute({ ...endpoint, path: endpoint.documented })]!(world),
      headers: { "Idempotency-Key": `responses ${formatRoute(endpoint)}` }
    }
  })

  test.each(changing)("$route changes nothing when its response can't be stored, and then runs once", async (at) => {
    const { path, options } = makeRequest(at.endpoint)
    const before = await contents(app)
    await refuseResponses(app)
    const refused = await app.call("POST", path, options)
    await takeResponses(app)
    expect(refused.status, refused.text).toBeGreaterThanOrEqual(500)
    expect(await contents(app)).toEqual(before)

    const first = await app.call("POST", path, options)
    expect([first.status < 300, first.headers.get("idempotency-replayed")], first.text).toEqual([true, null])
    const after = await contents(app)
    expect(after).not.toEqual(before)
    const again = await app.call("POST", path, options)
    expect([again.status, again.text, again.headers.get("idempotency-replayed")]).toEqual([
      first.status,
      first.text,
      "true"
    ])
    expect(await contents(app)).toEqual(after)
  })
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () => describe("on the embedded database", () => guarantees(useTestApp({ own: true }))),
  () =>
    describePostgres("on PostgreSQL", () => {
      const databases = useDatabases()
      guarantees(
        useTestApp({
          databaseUrl: () => databases.create(),
          env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
        })
      )
    })
)
