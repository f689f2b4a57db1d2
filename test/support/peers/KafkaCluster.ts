import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { describeServer } from "../describeServer.ts"
import { runProgram } from "../launch.ts"

/** A message as kcat reads it. */
export interface KafkaMessage {
  readonly partition: number
  readonly offset: number
  readonly key: string
  readonly payload: string
  readonly headers: Readonly<Record<string, string>>
}

export interface KafkaCluster {
  /** The brokers, `127.0.0.1:port` each. */
  readonly brokers: ReadonlyArray<string>
  /** All messages of a topic, in the order of each partition. */
  readonly messages: (topic: string) => Promise<ReadonlyArray<KafkaMessage>>
  readonly stop: () => Promise<void>
}

/** kcat gives the names and values of headers in one list. */
const pairs = (list: ReadonlyArray<string>) =>
  Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]!]] : [])))

/**
 * A throwaway in-memory Kafka cluster: librdkafka's mock cluster, run by kcat. It ends with its
 * standard input, so when this process ends at the latest.
 */
export const startKafka = async (brokers = 3): Promise<KafkaCluster> => {
  const settings = ["-X", `test.mock.num.brokers=${brokers}`, "-X", "debug=mock"]
  const child = spawn("kcat", ["-P", "-t", "unused", "-b", "unused", ...settings], {
    stdio: ["pipe", "ignore", "pipe"]
  })
  const exited = once(child, "exit")
  // Reads all output, because the cluster would block on a full pipe.
  const addresses = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on("line", (line) => {
      const found = / bootstrap\.servers=(\S+)/u.exec(line)
      if (found !== null) resolve(found[1]!)
    })
    child.once("error", reject)
    void exited.then(() => reject(new Error("kcat ended before there was a cluster")))
  })
  return {
    brokers: addresses.split(","),
    messages: async (topic) => {
      const printed = await runProgram("kcat", [
        "-C",
        "-q",
        "-J",
        "-e",
        "-b",
        addresses,
        "-t",
        topic,
        "-o",
        "beginning"
      ])
      return printed
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line))
        .map(({ headers = [], key, offset, partition, payload }) => ({
          partition,
          offset,
          key,
          payload,
          headers: pairs(headers)
        }))
    },
    stop: async () => {
      child.kill("SIGKILL")
      await exited
    }
  }
}

export const kafkaAvailable = (): boolean => {
  try {
    execFileSync("kcat", ["-V"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** A suite on a cluster of the Kafka protocol. */
export const describeKafka = (name: string, suite: () => void): void =>
  describeServer("kcat", kafkaAvailable(), name, suite)
