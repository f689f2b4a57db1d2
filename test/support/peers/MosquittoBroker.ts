import { execFileSync, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describeServer } from "../describeServer.ts"
import { freePort } from "../freePort.ts"
import { guardedFolder } from "../guardedFolder.ts"
import { launch, type Launched, runProgram } from "../launch.ts"

export interface MosquittoBroker {
  readonly port: number
  /** SHA-256 of the certificate; undefined without TLS. */
  readonly fingerprint: string | undefined
  /** Publishes with mosquitto_pub, and waits until the broker has the message. */
  readonly publish: (topic: string, payload: string, options?: { readonly retain?: boolean }) => Promise<void>
  /** Publishes a message a line to one topic, by one mosquitto_pub. */
  readonly publishLines: (topic: string, lines: ReadonlyArray<string>) => Promise<void>
  /** Receives with mosquitto_sub, by default as the first user: lines of topic and payload. */
  readonly receive: (
    filter: string,
    user?: { readonly name: string; readonly password: string }
  ) => Promise<{ readonly lines: () => ReadonlyArray<string>; readonly end: () => void }>
  /** Adds a user, or changes a user's password. Connections that are open stay. */
  readonly setPassword: (user: string, password: string) => Promise<void>
  /** Ends the broker. It keeps retained messages. */
  readonly stop: () => Promise<void>
  /** Starts it again on the same port. */
  readonly start: () => Promise<void>
  readonly log: () => string
  readonly close: () => Promise<void>
}

export interface MosquittoOptions {
  /** Clients have to log in; the first one publishes and receives for the test. */
  readonly users?: Readonly<Record<string, string>>
  /** Lines of an access control list. */
  readonly acl?: ReadonlyArray<string>
  readonly tls?: boolean
  /** A free one by default. */
  readonly port?: number
  readonly lines?: ReadonlyArray<string>
}

const program = ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].find((path) =>
  existsSync(path)
)

const makeCertificate = async (folder: string) => {
  await runProgram("openssl", [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    join(folder, "key.pem"),
    "-out",
    join(folder, "certificate.pem"),
    "-days",
    "2",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1"
  ])
  const shown = await runProgram("openssl", [
    "x509",
    "-noout",
    "-fingerprint",
    "-sha256",
    "-in",
    join(folder, "certificate.pem")
  ])
  return shown.trim().split("=")[1]!
}

/** A throwaway broker on 127.0.0.1. It ends when this process ends at the latest. */
export const startMosquitto = async (options: MosquittoOptions = {}): Promise<MosquittoBroker> => {
  const folder = await guardedFolder("edp-mosquitto")
  const port = options.port ?? (await freePort())
  const data = join(folder.path, "data")
  await mkdir(data)
  const fingerprint = options.tls === true ? await makeCertificate(folder.path) : undefined
  const users = Object.entries(options.users ?? {})
  const [admin] = users
  const passwords = join(folder.path, "passwords")
  for (const [n, [name, password]] of users.entries()) {
    await runProgram("mosquitto_passwd", [...(n === 0 ? ["-c"] : []), "-b", passwords, name, password])
  }
  if (options.acl !== undefined) await writeFile(join(folder.path, "acl"), `${options.acl.join("\n")}\n`)
  await writeFile(
    join(folder.path, "mosquitto.conf"),
    [
      "persistence true",
      `persistence_location ${data}/`,
      // Otherwise it gives up root for a user who may not read the folder.
      `user ${process.getuid?.() === 0 ? "root" : ""}`,
      "log_dest stderr",
      "set_tcp_nodelay true",
      "max_queued_messages 0",
      ...(options.acl === undefined ? [] : [`acl_file ${join(folder.path, "acl")}`]),
      `listener ${port} 127.0.0.1`,
      ...(users.length === 0 ? ["allow_anonymous true"] : ["allow_anonymous false", `password_file ${passwords}`]),
      ...(fingerprint === undefined
        ? []
        : [`certfile ${join(folder.path, "certificate.pem")}`, `keyfile ${join(folder.path, "key.pem")}`]),
      ...(options.lines ?? [])
    ]
      .filter((line) => line.trim() !== "user")
      .join("\n")
  )

  let log = ""
  const launchBroker = async () => {
    const started = await launch(program!, ["-c", join(folder.path, "mosquitto.conf")], { cwd: folder.path })
    folder.protect(started.pid)
    await started.printed(/mosquitto version \S+ running/)
    return started
  }
  let broker: Launched = await launchBroker()
  const stop = async () => {
    if (broker.running()) broker.kill("SIGTERM")
    await broker.exited
    log += broker.stderr()
    folder.forget()
  }
  const clientAs = (user: string | undefined, password = "") => [
    "-h",
    "127.0.0.1",
    "-p",
    String(port),
    ...(user === undefined ? [] : ["-u", user, "-P", password]),
    ...(fingerprint === undefined ? [] : ["--cafile", join(folder.path, "certificate.pem")])
  ]
  const client = clientAs(admin?.[0], admin?.[1])
  return {
    port,
    fingerprint,
    publish: async (topic, payload, { retain = false } = {}) => {
      const file = join(folder.path, "payload")
      await writeFile(file, payload)
      await runProgram("mosquitto_pub", [
        ...client,
        "-q",
        "1",
        "-t",
        topic,
        ...(retain ? ["-r"] : []),
        ...(payload === "" ? ["-n"] : ["-f", file])
      ])
    },
    publishLines: (topic, lines) =>
      new Promise((resolve, reject) => {
        const child = spawn("mosquitto_pub", [...client, "-t", topic, "-l"], { stdio: ["pipe", "ignore", "inherit"] })
        child.once("error", reject)
        child.once("close", () => resolve())
        child.stdin.end(lines.map((line) => `${line}\n`).join(""))
      }),
    receive: async (filter, user) => {
      const login = user === undefined ? client : clientAs(user.name, user.password)
      // Line by line: to a pipe it would write when a message comes, and its subscription would go unnoticed.
      const receiver = await launch("stdbuf", ["-oL", "mosquitto_sub", ...login, "-d", "-v", "-t", filter])
      await receiver.printed(/SUBACK/)
      return {
        lines: () =>
          receiver
            .stdout()
            .split("\n")
            .filter((line) => line !== "" && !/^(Client |Subscribed )/.test(line)),
        end: () => receiver.kill("SIGTERM")
      }
    },
    setPassword: async (user, password) => {
      await runProgram("mosquitto_passwd", ["-b", passwords, user, password])
      broker.kill("SIGHUP")
      await broker.printed(/Reloading config/)
    },
    stop,
    start: async () => {
      if (!broker.running()) broker = await launchBroker()
    },
    log: () => log + broker.stderr(),
    close: async () => {
      await stop()
      await folder.remove()
    }
  }
}

const isAvailable = (): boolean => {
  try {
    execFileSync("mosquitto_sub", ["--help"], { stdio: "ignore" })
  } catch (error) {
    // It shows its help and exits with 1.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
  }
  return program !== undefined
}

export const mosquitto = { program: "mosquitto", isAvailable: isAvailable() }

/** A suite with a real broker. */
export const describeMosquitto = (name: string, suite: () => void): void =>
  describeServer(mosquitto.program, mosquitto.isAvailable, name, suite)
