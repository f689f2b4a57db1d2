import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import S3rver from "s3rver"

/** The ending of the file in which the server keeps the content of an object. */
const ENDING = "._S3rver_object"

/** A server of S3 with one bucket, which checks signatures. */
export const startBucket = async (name: string) => {
  const directory = await mkdtemp(join(tmpdir(), "edp-bucket-"))
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name, configs: [] }]
  })
  const { port } = await server.run()
  return {
    url: `http://127.0.0.1:${port}`,
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
    list: async () => {
      const files = await readdir(join(directory, name), { recursive: true })
      return files
        .filter((file) => file.endsWith(ENDING))
        .map((file) => file.slice(0, -ENDING.length))
        .toSorted()
    },
    read: (key: string) => readFile(join(directory, name, `${key}${ENDING}`), "utf8"),
    stop: async () => {
      await server.close()
      await rm(directory, { recursive: true })
    }
  }
}
