import { AdapterError } from "@edp/adapter-kit/AdapterError"

interface Thrown {
  readonly name?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly errors?: unknown
}

/** An error with what caused it. */
const chain = (error: unknown): ReadonlyArray<Thrown> => {
  const found: Array<Thrown> = []
  const add = (one: unknown) => {
    if (typeof one !== "object" || one === null || found.includes(one) || found.length > 50) return
    found.push(one)
    const { cause, errors } = one as Thrown
    add(cause)
    if (Array.isArray(errors)) errors.forEach(add)
  }
  add(error)
  return found
}

const names = (errors: ReadonlyArray<Thrown>): ReadonlyArray<string> =>
  errors.flatMap((error) => {
    const found: Array<string> = [String(error.name)]
    for (let at = Object.getPrototypeOf(error); at !== null; at = Object.getPrototypeOf(at)) {
      if (typeof at.constructor?.name === "string") found.push(at.constructor.name)
    }
    return found
  })

const TEXT_LIMIT = 200
const plain = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  return text.replaceAll(/\p{C}/gu, " ").slice(0, TEXT_LIMIT)
}

const upstream = (error: unknown) => ({
  statusCode: null,
  errorCode: error instanceof Error ? error.constructor.name : null,
  errorMessage: plain(error),
  requestId: null
})

/** The controller itself does not start: the host has no multicast DNS, or its port is taken by a program that does not share it. */
export const startFailure = (error: unknown): AdapterError =>
  chain(error).some((one) => /mdns/i.test(String(one.message))) || names(chain(error)).includes("NetworkError")
    ? AdapterError.of(
        "misconfigured",
        "Matter needs multicast DNS on the host of the platform, and its UDP port 5353 can't be opened. Another program may hold it, and a container needs the network of its host",
        { upstream: upstream(error) }
      )
    : AdapterError.of("vendor_fault", `The Matter controller does not start: ${plain(error)}`, {
        upstream: upstream(error)
      })

/** Errors of a connection that may succeed later. */
const unreachable = [
  "PeerCommunicationError",
  "DiscoveryError",
  "NoResponseTimeoutError",
  "NetworkError",
  "ClosedError",
  "TimeoutError",
  "AbortedError"
]

/** A call of a paired device fails. */
export const callFailure = (error: unknown): AdapterError => {
  const found = names(chain(error))
  if (found.includes("PeerLeftError") || found.includes("FabricRemovedError")) return removed()
  if (found.includes("StatusResponseError")) {
    return AdapterError.of("refused", `The device refuses the command: ${plain(error)}`, { upstream: upstream(error) })
  }
  return found.some((name) => unreachable.includes(name))
    ? AdapterError.of("unreachable", "The device does not respond", { upstream: upstream(error) })
    : AdapterError.of("contract", `The device can't be called: ${plain(error)}`, { upstream: upstream(error) })
}

/** The device no longer has the platform among those that may control it. */
export const removed = (): AdapterError =>
  AdapterError.of("grant_lost", "The device was reset or has removed the platform: it must be paired again")

/** A device can't be paired: for the person who enters the code. */
export const pairingFailure = (error: unknown): AdapterError => {
  const errors = chain(error)
  const found = names(errors)
  const failed = (failure: "misconfigured" | "refused" | "unreachable", message: string) =>
    AdapterError.of(failure, message, { upstream: upstream(error) })
  if (found.includes("MaximumCommissionedFabricsReachedError")) {
    return failed(
      "refused",
      "The device is linked to as many controllers as it takes. Remove one of them at the device"
    )
  }
  if (errors.some(({ message }) => /attestation/i.test(String(message)))) {
    return failed("refused", "The device can't prove that it is a certified Matter device")
  }
  if (
    found.includes("PaseClientError") ||
    errors.some(({ message }) => /pase|passcode|pake|InvalidParam|confirmation/i.test(String(message)))
  ) {
    return failed("misconfigured", "code is not the code of the device that was found: check all of its digits")
  }
  return failed(
    "unreachable",
    "No device with this code was found. It must be in pairing mode, and in the network of the platform"
  )
}
