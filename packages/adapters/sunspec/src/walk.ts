import { models } from "./models.ts"

/** A read of holding registers that the caller is to make. */
export interface ReadRequest {
  readonly address: number
  readonly count: number
}

/** Registers, or the reason why there are none: the device refuses the address. Errors of the network end the walk. */
export type ReadResponse = { readonly registers: ReadonlyArray<number> } | { readonly refused: string }

/** A model on the device. `address` is that of its id. */
export interface FoundModel {
  readonly id: number
  readonly address: number
  /** Registers after the length itself. */
  readonly length: number
  /** All registers from the id on; empty for a model whose points are not known. */
  readonly registers: ReadonlyArray<number>
}

export interface DeviceMap {
  /** The address of the letters `SunS`; undefined if the device has no SunSpec map. */
  readonly base: number | undefined
  readonly models: ReadonlyArray<FoundModel>
  /** Models that are not in the table of models: their ids, addresses and lengths. */
  readonly unknownModels: ReadonlyArray<Omit<FoundModel, "registers">>
  readonly problems: ReadonlyArray<string>
}

/** Addresses at which the standard lets a map begin, the most usual one first. */
export const BASE_ADDRESSES = [40_000, 50_000, 0] as const

const MARK = [0x5375, 0x6e53] as const
const END_MODEL = 0xffff
/** A Modbus read has at most 125 registers. */
const MAX_READ = 125
const MAX_MODELS = 200
/** The longest standard models have some hundreds of registers; a longer one is a misread address. */
const MAX_LENGTH = 2000

export type Reads<A> = Generator<ReadRequest, A, ReadResponse>

const isRegisters = (
  response: ReadResponse,
  count: number
): response is { readonly registers: ReadonlyArray<number> } =>
  "registers" in response && response.registers.length >= count

/** Reads a block in as many requests as it takes; undefined if one was refused or too short. */
function* readBlock(address: number, count: number): Reads<ReadonlyArray<number> | undefined> {
  const registers: Array<number> = []
  while (registers.length < count) {
    const request = { address: address + registers.length, count: Math.min(MAX_READ, count - registers.length) }
    const response = yield request
    if (!isRegisters(response, request.count)) return undefined
    registers.push(...response.registers.slice(0, request.count))
  }
  return registers
}

function* findBase(addresses: ReadonlyArray<number>): Reads<number | undefined> {
  for (const address of addresses) {
    const response = yield { address, count: 2 }
    if (isRegisters(response, 2) && response.registers[0] === MARK[0] && response.registers[1] === MARK[1])
      return address
  }
  return undefined
}

/**
 * Finds the map of a device and reads its models up to the end marker. It yields the reads and gets their responses, so it needs
 * no connection of its own. A model that is not known is listed; a map that ends without its marker or has an impossible
 * length keeps the models before that place.
 */
export function* walkDevice(addresses: ReadonlyArray<number> = BASE_ADDRESSES): Reads<DeviceMap> {
  const base = yield* findBase(addresses)
  if (base === undefined) {
    return { base, models: [], unknownModels: [], problems: [`No SunSpec map at ${addresses.join(", ")}`] }
  }
  const found: Array<FoundModel> = []
  const unknownModels: Array<Omit<FoundModel, "registers">> = []
  const ended = (problems: ReadonlyArray<string>): DeviceMap => ({ base, models: found, unknownModels, problems })
  const problems: Array<string> = []
  let address = base + MARK.length
  while (found.length + unknownModels.length < MAX_MODELS) {
    const header = yield { address, count: 2 }
    if (!isRegisters(header, 2)) {
      // Some devices leave out the length of the end marker, and with it the second register.
      const single = yield { address, count: 1 }
      if (isRegisters(single, 1) && single.registers[0] === END_MODEL) return ended(problems)
      return ended([...problems, `The map ends at ${address} without its end marker`])
    }
    const [id, length] = header.registers as [number, number]
    if (id === END_MODEL) return ended(problems)
    if (id === 0 || length === 0 || length > MAX_LENGTH || address + 2 + length > 0xffff) {
      return ended([...problems, `Model ${id} at ${address} has the impossible length ${length}`])
    }
    if (!models.has(id)) unknownModels.push({ id, address, length })
    else {
      const registers = yield* readBlock(address, length + 2)
      if (registers === undefined) problems.push(`Model ${id} at ${address} could not be read`)
      else found.push({ id, address, length, registers })
    }
    address += 2 + length
  }
  return ended([...problems, `The map has more than ${MAX_MODELS} models`])
}

/**
 * Reads models again whose places are known. A model whose id changed has moved: then the device was reconfigured, and the
 * map must be walked again.
 */
export function* readModels(known: ReadonlyArray<FoundModel>): Reads<ReadonlyArray<FoundModel> | "moved"> {
  const read: Array<FoundModel> = []
  for (const model of known) {
    const registers = yield* readBlock(model.address, model.length + 2)
    if (registers === undefined) continue
    if (registers[0] !== model.id || registers[1] !== model.length) return "moved"
    read.push({ ...model, registers })
  }
  return read
}
