import { pathToFileURL } from "node:url"

/** Our modules and Effect's, a thousand files of which every start reads most. Other packages are loaded from where they are. */
const bundled = /^(?:[./]|node:|@edp\/|effect(?:\/|$)|@effect\/)/u

type Resolve = (
  source: string,
  importer: string | undefined,
  options: { readonly skipSelf: true }
) => Promise<{ readonly id: string } | null>

const keepsPackages = {
  name: "keeps-packages",
  async resolveId(this: { readonly resolve: Resolve }, source: string, importer: string | undefined) {
    if (importer === undefined || bundled.test(source)) return null
    const found = await this.resolve(source, importer, { skipSelf: true })
    return found?.id.startsWith("/") === true ? { id: pathToFileURL(found.id).href, external: true } : null
  }
}

const resolved = /import\.meta\.resolve\("([^"]+)"\)/u

/** Each module still finds its files, and the programs that it starts, as from its source. */
const keepsAddresses = {
  name: "keeps-addresses",
  async transform(this: { readonly resolve: Resolve }, source: string, id: string) {
    if (!/import\.meta\.(?:url|resolve)/u.test(source)) return null
    let code = source.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
    for (let found = resolved.exec(code); found !== null; found = resolved.exec(code)) {
      const target = await this.resolve(found[1]!, id, { skipSelf: true })
      if (target === null) throw new Error(`${id} resolves ${found[1]}, which is not found`)
      code = code.replace(found[0], JSON.stringify(pathToFileURL(target.id).href))
    }
    return { code, map: null }
  }
}

/** The configuration of rolldown for the server's program, and for what tests load into it, which shares its modules. */
export default {
  input: {
    main: "src/main.ts",
    cloudAdapter: "../../test/support/cloudAdapter.ts",
    commandCloudAdapter: "../../test/support/commandCloudAdapter.ts"
  },
  platform: "node",
  resolve: { conditionNames: ["@edp/source", "node", "import", "default"] },
  plugins: [keepsPackages, keepsAddresses],
  output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" }
}
