import { existsSync } from "node:fs"
import { Client } from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "./PostgresServer.ts"

const query = async (url: string, text: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

describePostgres("a throwaway PostgreSQL", () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ auth: "password" })
  })
  afterAll(() => server.stop())

  it("flushes to disk and takes many connections", async () => {
    const rows = await query(
      server.url,
      "select current_setting('fsync') fsync, current_setting('max_connections') connections"
    )
    expect(rows).toEqual([{ fsync: "on", connections: "200" }])
  })

  it("connects as a role without special rights", async () => {
    const rows = await query(
      server.url,
      "select current_user::text, rolsuper from pg_roles where rolname = current_user"
    )
    expect(rows).toEqual([{ current_user: "edp", rolsuper: false }])
  })

  it("refuses a wrong password", async () => {
    const wrong = server.url.replace(/:[^:@/]+@/, ":wrong@")
    await expect(query(wrong, "select 1")).rejects.toMatchObject({ code: "28P01" })
  })

  it("makes separate databases when asked at the same time", async () => {
    const urls = await Promise.all([1, 2, 3].map(() => server.createDatabase()))
    expect(new Set(urls).size).toBe(3)
    for (const url of urls) await query(url, "create table only_once (id int)")
  })

  it("keeps committed rows through kill -9 and a restart", async () => {
    const url = await server.createDatabase()
    await query(url, "create table kept (id int)")
    await query(url, "insert into kept values (1), (2)")
    await server.kill9()
    await expect(query(url, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" })
    await server.restart()
    expect(await query(url, "select id from kept order by id")).toEqual([{ id: 1 }, { id: 2 }])
  })

  it("breaks open connections when it restarts", async () => {
    const client = new Client({ connectionString: server.url })
    await client.connect()
    const broken = new Promise<Error>((resolve) => client.on("error", resolve))
    await server.restart()
    expect(await broken).toMatchObject({ code: "57P01" })
  })

  it("leaves nothing behind when it is stopped", async () => {
    const other = await startPostgres({ fsync: false })
    const [row] = await query(other.adminUrl, "select current_setting('data_directory') folder")
    expect(existsSync(row.folder)).toBe(true)
    await other.stop()
    expect(existsSync(row.folder)).toBe(false)
    await expect(query(other.url, "select 1")).rejects.toMatchObject({ code: "ECONNREFUSED" })
  })
})
