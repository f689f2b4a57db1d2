import type { ClientNode, Endpoint } from "@matter/main"
import { type Attributes, type Endpoints, type MatterEndpoint, readClusters } from "./endpoints.ts"

/** Values as JSON has them: whole numbers of 64 bits are numbers, bytes are left out. */
const toPlain = (value: unknown): unknown => {
  if (typeof value === "bigint") return Number(value)
  if (Array.isArray(value)) return value.map(toPlain)
  if (value instanceof Uint8Array) return null
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) => (typeof one === "function" ? [] : [[name, toPlain(one)]]))
  )
}

/** Lists of commands and attributes, which every cluster has. */
const globals = new Set(["acceptedCommandList", "attributeList", "eventList", "generatedCommandList", "partsList"])

const readCluster = (endpoint: Endpoint, name: string): Attributes | undefined => {
  const state = endpoint.maybeStateOf(name)
  return state === undefined
    ? undefined
    : (toPlain(Object.fromEntries(Object.entries(state).filter(([one]) => !globals.has(one)))) as Attributes)
}

const readEndpoint = (endpoint: Endpoint, parent: number | null): MatterEndpoint => {
  const { descriptor, ...clusters } = Object.fromEntries(
    readClusters.flatMap((name) => {
      const found = readCluster(endpoint, name)
      return found === undefined ? [] : [[name, found] as const]
    })
  )
  const types = descriptor?.["deviceTypeList"]
  return {
    number: endpoint.number,
    parent,
    deviceTypes: Array.isArray(types) ? types.map(({ deviceType }: Attributes) => Number(deviceType)) : [],
    clusters
  }
}

/** The endpoints of a node with their newest attributes, by number. */
export const readEndpoints = (node: ClientNode): Endpoints =>
  new Map(
    [...node.endpoints].map((endpoint) => {
      const isRoot = endpoint.number === 0
      return [endpoint.number, readEndpoint(endpoint, isRoot ? null : (endpoint.owner?.number ?? 0))]
    })
  )
