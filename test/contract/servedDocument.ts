import type { OpenApiDocument } from "../support/OpenApiOracle.ts"

/** The OpenAPI document as a running service serves it. */
export const servedDocument = async (url: string): Promise<OpenApiDocument> => {
  const response = await fetch(`${url}/v1/docs/swagger.json`)
  if (response.status !== 200) throw new Error(`no document: ${response.status}`)
  return (await response.json()) as OpenApiDocument
}

/** Its operations under the contract's notation, such as `GET /v1/sites/:id`. */
export const servedOperations = async (url: string): Promise<ReadonlyMap<string, any>> => {
  const { paths } = await servedDocument(url)
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`, operation] as const
      )
    )
  )
}
