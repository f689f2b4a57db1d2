import compile from "icu-minify/compile"
import type { Plugin } from "vite"

/** Messages of a language as its file has them: texts in ICU MessageFormat, in groups. */
export type MessageTree = { readonly [name: string]: string | MessageTree }

export type CompiledMessage = ReturnType<typeof compile>
export type CompiledTree = { readonly [name: string]: CompiledMessage | CompiledTree }

/** Throws an error that names the message if one of them is not ICU MessageFormat. */
export const compileMessages = (tree: MessageTree, path = ""): CompiledTree =>
  Object.fromEntries(
    Object.entries(tree).map(([name, message]) => {
      const here = `${path}${name}`
      if (typeof message !== "string") return [name, compileMessages(message, `${here}.`)]
      try {
        return [name, compile(message)]
      } catch (error) {
        throw new Error(`The message ${here} is not ICU MessageFormat: ${message}`, { cause: error })
      }
    })
  )

/**
 * Compiles the files of messages, such as `messages/de.json`, so that the page needs no parser. With `?area=frame` the module has that part of the file
 * alone.
 */
export const messages = (): Plugin => ({
  name: "messages",
  enforce: "pre",
  transform: {
    filter: { id: /\/messages\/[a-z]{2}\.json(\?.*)?$/ },
    handler(code, id) {
      const tree: MessageTree = JSON.parse(code)
      const area = new URLSearchParams(id.split("?")[1]).get("area")
      if (area === null) return { code: JSON.stringify(compileMessages(tree)), map: null }
      const part = JSON.stringify(compileMessages(tree[area] as MessageTree))
      return { code: `export default JSON.parse(${JSON.stringify(part)})`, map: null, moduleType: "js" }
    }
  }
})
