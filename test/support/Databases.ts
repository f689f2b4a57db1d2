import { randomBytes } from "node:crypto"
import { Client } from "pg"
import { afterAll, beforeAll, inject } from "vitest"

/** Databases on the PostgreSQL server of the test run. They are dropped after the suite. */
export interface Databases {
  /** A migrated database, made before the suite's tests. Its role owns it and has no other rights. */
  readonly url: string
  /** The database of `url` as the server's superuser. */
  readonly adminUrl: string
  /** Makes another migrated database. */
  readonly create: () => Promise<string>
  /** Makes a database without any table. */
  readonly createEmpty: () => Promise<string>
}

const nameIn = (url: string) => new URL(url).pathname.slice(1)

const named = (url: string, name: string, role: string) => {
  const address = new URL(url)
  address.username = role
  address.pathname = `/${name}`
  return address.href
}

class RunDatabases {
  readonly #names: Array<string> = []
  #url: string | undefined

  get #server() {
    const server = inject("postgres")
    if (server === null) throw new Error("PostgreSQL is not installed")
    return server
  }

  get url() {
    if (this.#url === undefined) throw new Error("The suite's database is made before its tests")
    return this.#url
  }

  get adminUrl() {
    return named(this.#server.adminUrl, nameIn(this.url), "postgres")
  }

  readonly create = () => this.#make(`TEMPLATE ${this.#server.template}`)

  readonly createEmpty = () => this.#make("")

  async open() {
    this.#url = await this.create()
  }

  async drop() {
    await this.#administer(...this.#names.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  }

  async #make(options: string) {
    const name = `edp_${randomBytes(8).toString("hex")}`
    await this.#administer(`CREATE DATABASE ${name} OWNER edp ${options}`)
    this.#names.push(name)
    return named(this.#server.adminUrl, name, "edp")
  }

  async #administer(...statements: ReadonlyArray<string>) {
    const client = new Client({ connectionString: this.#server.adminUrl })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
}

/** The databases of one suite. Inside `describePostgres`. */
export const useDatabases = (): Databases => {
  const databases = new RunDatabases()
  beforeAll(() => databases.open())
  afterAll(() => databases.drop())
  return databases
}
