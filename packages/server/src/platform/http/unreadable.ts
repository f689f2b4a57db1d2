import { NotFound } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { MAX_HEADERS, serverLimits } from "./serverLimits.ts"

export type Details = Readonly<Record<string, string>>

const seconds = (milliseconds: number) => milliseconds / 1000

const late = `Must arrive within ${seconds(serverLimits.requestTimeout)} seconds, its headers within ${seconds(serverLimits.headersTimeout)}`

/** What is wrong, by the code of the error that Node's parser gives up with. */
const byCode: Readonly<Record<string, Details>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { request: late },
  HPE_HEADER_OVERFLOW: { headers: `Must be at most ${serverLimits.maxHeaderSize / 1024} KiB with the path` },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { body: "Must have no long extensions of its chunks" },
  HPE_INVALID_CHUNK_SIZE: { body: "Must be sent in chunks of the size that they name" },
  HPE_INVALID_CONSTANT: { request: "Must be a request of HTTP/1.1" }
}

export const unlike = { request: "Must be a request of HTTP/1.1" }

export const noHost = { host: "Is required" }
export const twoHosts = { host: "Must be given once only" }
export const wrongHost = { host: "Must be a host name or an address, and may end with a port" }
export const manyHeaders = { headers: `Must be at most ${MAX_HEADERS}` }
export const otherCoding = { transferEncoding: "Must be chunked and nothing else, and HTTP/1.1" }
export const otherExpectation = { expect: "Must be 100-continue" }

/** Why a request could not be read, as the details of its VALIDATION_ERROR. */
export const detailsOf = (code: string | undefined): Details => byCode[code ?? ""] ?? unlike

/** A VALIDATION_ERROR as bytes of its own, for where there is no request that could be answered the ordinary way. */
export const bodyOf = (details: Details): string => {
  const { code, message } = invalid(details)
  return JSON.stringify({ code, message, details })
}

const { code, message } = new NotFound({ message: "There is no such route" })
/** The answer to a request for something that is no route by its method, as bytes. */
export const noRoute = JSON.stringify({ code, message })
