import { existsSync, readFileSync } from "node:fs"
import { chown, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readStatus } from "../callAt.ts"
import { describeServer } from "../describeServer.ts"
import { eventually } from "../eventually.ts"
import { freePort } from "../freePort.ts"
import { type GuardedFolder, guardedFolder } from "../guardedFolder.ts"
import { killFamily, type Launched, launch, listFamily, runProgram } from "../launch.ts"
import { postgresBinaries, serverAccount } from "../postgresCluster.ts"
import { findProgram } from "./findProgram.ts"
import { withClient } from "./withClient.ts"

const templates = fileURLToPath(new URL("../../../deploy/failover/", import.meta.url))
/** Each node has an address of its own, as each host of a deployment. Linux has all of 127.0.0.0/8. */
const nodeAddresses = { db1: "127.0.0.11", db2: "127.0.0.12", db3: "127.0.0.13" } as const
type NodeName = keyof typeof nodeAddresses
const nodeNames = Object.keys(nodeAddresses) as ReadonlyArray<NodeName>
const password = "for-tests-only"

const programs = ["etcd", "patroni", "haproxy", "redis-server"] as const

interface Ports {
  readonly postgres: number
  readonly patroni: number
  readonly haproxy: number
}

/** One host of the database: etcd, Patroni, and the PostgreSQL that Patroni starts. */
class ClusterNode {
  readonly name: NodeName
  readonly #folder: GuardedFolder
  readonly #etcdFolder: GuardedFolder
  readonly #ports: Ports
  #etcd: Launched | undefined
  #patroni: Launched | undefined

  constructor(name: NodeName, folder: GuardedFolder, etcdFolder: GuardedFolder, ports: Ports) {
    this.name = name
    this.#folder = folder
    this.#etcdFolder = etcdFolder
    this.#ports = ports
  }

  get address() {
    return nodeAddresses[this.name]
  }

  get log() {
    return `${this.#patroni?.stdout()}${this.#patroni?.stderr()}`
  }

  async startEtcd() {
    const text = await readFile(join(this.#folder.path, "etcd.env"), "utf8")
    const settings = text.split("\n").map((line) => line.split(/=(.*)/su).slice(0, 2))
    const env = { PATH: process.env.PATH, ...Object.fromEntries(settings.filter(([name]) => name)) }
    this.#etcd = await launch(findProgram("etcd")!, [], { cwd: this.#etcdFolder.path, env })
    this.#etcdFolder.protect(this.#etcd.pid)
  }

  async startPatroni() {
    const account = serverAccount()
    const args = [join(this.#folder.path, "patroni.yml")]
    const env = { PATH: process.env.PATH, HOME: this.#folder.path, LC_ALL: "C.UTF-8" }
    this.#patroni = await launch(findProgram("patroni")!, args, { cwd: this.#folder.path, env, ...account })
    this.#folder.protect(this.#patroni.pid)
  }

  get #postmaster() {
    return Number(readFileSync(join(this.#folder.path, "data/postmaster.pid"), "utf8").split("\n")[0])
  }

  /** Ends Patroni and PostgreSQL at once, as the end of the machine does; etcd has a majority without it. */
  async kill9() {
    const postmaster = this.#postmaster
    this.#patroni!.kill("SIGKILL")
    killFamily(postmaster)
    await this.#patroni!.exited
    this.#folder.forget()
  }

  #signal(signal: NodeJS.Signals, pids: ReadonlyArray<number>) {
    for (const pid of pids) process.kill(pid, signal)
  }

  /** Stops every process of the node, which keep their connections, as a machine that hangs. */
  freeze() {
    this.#etcd!.kill("SIGSTOP")
    this.#signal("SIGSTOP", [this.#patroni!.pid, ...listFamily(this.#postmaster)])
  }

  thaw() {
    this.#signal("SIGCONT", [...listFamily(this.#postmaster), this.#patroni!.pid])
    this.#etcd!.kill("SIGCONT")
  }

  /** PostgreSQL goes on, but nothing of the node takes part in the cluster: a leader that does not learn of its successor. */
  cutOff() {
    this.#etcd!.kill("SIGSTOP")
    this.#patroni!.kill("SIGSTOP")
  }

  rejoin() {
    this.#etcd!.kill("SIGCONT")
    this.#patroni!.kill("SIGCONT")
  }

  async responds(path: string) {
    return (await readStatus(`http://${this.address}:${this.#ports.patroni}${path}`, 1000)) === 200
  }

  /** The address of this node's PostgreSQL for the superuser, past HAProxy. */
  get directUrl() {
    return `postgres://postgres:${password}@${this.address}:${this.#ports.postgres}/postgres`
  }

  async stop() {
    if (this.#patroni?.running()) {
      this.#patroni.kill("SIGCONT")
      this.#patroni.kill("SIGTERM")
      await this.#patroni.exited
      this.#folder.forget()
    }
    if (this.#etcd?.running()) {
      this.#etcd.kill("SIGKILL")
      await this.#etcd.exited
      this.#etcdFolder.forget()
    }
    await this.#folder.remove()
    await this.#etcdFolder.remove()
  }
}

/** The configuration of a deployment, filled for this machine by the script that fills it there. */
const configure = async (folder: string, name: string, settings: Readonly<Record<string, string | number>>) => {
  const account = serverAccount()
  const file = join(folder, "cluster.env")
  await writeFile(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key}=${value}\n`)
      .join("")
  )
  for (const secret of ["superuser", "replication"]) await writeFile(join(folder, secret), password)
  await runProgram("sh", [join(templates, "configure.sh"), file, name, folder])
  if (account === undefined) return
  for (const path of [folder, join(folder, "patroni.yml")])
    if (existsSync(path)) await chown(path, account.uid, account.gid)
}

/** Three nodes with synchronous replication behind HAProxy, from the files of deploy/failover. */
export const startCluster = async () => {
  const ports = {
    postgres: await freePort(),
    patroni: await freePort(),
    etcd: await freePort(),
    etcdPeer: await freePort(),
    haproxy: await freePort()
  }
  const settings = {
    DB1: nodeAddresses.db1,
    DB2: nodeAddresses.db2,
    DB3: nodeAddresses.db3,
    NETWORK: "127.0.0.0/8",
    POSTGRES_PORT: ports.postgres,
    PATRONI_PORT: ports.patroni,
    ETCD_PORT: ports.etcd,
    ETCD_PEER_PORT: ports.etcdPeer,
    HAPROXY_PORT: ports.haproxy,
    POSTGRES_BIN: postgresBinaries()!
  }
  const nodes: Array<ClusterNode> = []
  const newFolder = (prefix: string, signal: "TERM" | "KILL") => guardedFolder(prefix, { signal, parent: "/tmp" })
  for (const name of nodeNames) {
    const folder = await newFolder(`edp-${name}`, "TERM")
    const etcdFolder = await newFolder(`edp-etcd-${name}`, "KILL")
    const { path } = folder
    await mkdir(join(path, "sockets"), { mode: 0o755 })
    const own = {
      POSTGRES_DATA: join(path, "data"),
      POSTGRES_SOCKETS: join(path, "sockets"),
      ETCD_DATA: join(etcdFolder.path, "data"),
      SECRETS: path
    }
    await configure(path, name, { ...settings, ...own })
    const account = serverAccount()
    if (account !== undefined) await chown(join(path, "sockets"), account.uid, account.gid)
    nodes.push(new ClusterNode(name, folder, etcdFolder, ports))
  }
  const proxyFolder = await newFolder("edp-haproxy", "KILL")
  await configure(proxyFolder.path, "app", { ...settings, SECRETS: proxyFolder.path })
  let proxy: Launched | undefined
  const stop = async () => {
    proxy?.kill("SIGKILL")
    await proxy?.exited
    await proxyFolder.remove()
    await Promise.all(nodes.map((node) => node.stop()))
  }
  const leader = (than?: ClusterNode) =>
    eventually(`a leader${than === undefined ? "" : ` other than ${than.name}`}`, async () => {
      for (const node of nodes) if (node !== than && (await node.responds("/primary"))) return node
      return undefined
    })
  const whole = () =>
    eventually("one leader, and a synchronous and another standby that both follow", async () => {
      const standbys = await Promise.all(nodes.map((node) => node.responds("/replica?lag=1MB")))
      const synchronous = await Promise.all(nodes.map((node) => node.responds("/synchronous")))
      return standbys.filter(Boolean).length === 2 && synchronous.some(Boolean) ? true : undefined
    }).catch((error: unknown) => {
      const logs = nodes.map((node) => node.log).join("\n")
      throw new Error(`The cluster is not whole:\n${logs}`, { cause: error })
    })
  try {
    await Promise.all(nodes.map((node) => node.startEtcd()))
    await nodes[0]!.startPatroni()
    await leader()
    await Promise.all(nodes.slice(1).map((node) => node.startPatroni()))
    await whole()
    proxy = await launch(findProgram("haproxy")!, ["-db", "-f", join(proxyFolder.path, "haproxy.cfg")])
    proxyFolder.protect(proxy.pid)
    const adminUrl = `postgres://postgres:${password}@127.0.0.1:${ports.haproxy}/postgres`
    // HAProxy takes each server for the leader until its first check.
    await proxy.printed(/(?:is DOWN[^]*){2}/u)
    await withClient(adminUrl, `CREATE ROLE edp LOGIN PASSWORD '${password}'`)
    await withClient(adminUrl, "CREATE DATABASE edp OWNER edp")
  } catch (error) {
    const logs = nodes.map((node) => node.log).join("\n")
    await stop()
    throw new Error(`The cluster did not start:\n${logs}`, { cause: error })
  }
  return { url: `postgres://edp:${password}@127.0.0.1:${ports.haproxy}/edp`, nodes, leader, whole, stop }
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** A suite on a cluster of PostgreSQL servers that Patroni keeps. */
export const describeCluster = (name: string, suite: () => void): void => {
  const isThere = postgresBinaries() !== undefined && programs.every((program) => findProgram(program) !== undefined)
  describeServer("Patroni, etcd, HAProxy or Redis", isThere, name, suite)
}
