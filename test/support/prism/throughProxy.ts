import { afterAll, afterEach, inject } from "vitest"
import { front } from "../front.ts"

const desk = inject("validatingProxy")
const fronts: Array<string> = []

const ask = async <A>(what: "front" | "violations", address: string): Promise<A> =>
  (await fetch(`${desk}/${what}?address=${encodeURIComponent(address)}`)).json() as Promise<A>

front.of = async (service) => {
  const address = await ask<string>("front", service)
  fronts.push(address)
  return address
}

const expectNoViolation = async () => {
  const found = (await Promise.all(fronts.map((address) => ask<ReadonlyArray<string>>("violations", address)))).flat()
  if (found.length > 0) throw new Error(`The document does not allow:\n${[...new Set(found)].join("\n")}`)
}

afterEach(expectNoViolation)
afterAll(expectNoViolation)
