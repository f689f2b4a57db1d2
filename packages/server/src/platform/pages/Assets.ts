import { hash } from "node:crypto"
import type { AssetPaths } from "@edp/hosted-pages/scene/scene"
import { files as built } from "@edp/hosted-pages/render"
import { Context, Effect, Layer } from "effect"
import { accentStyles } from "./colors.ts"

export interface Asset {
  readonly contentType: string
  readonly content: string
}

/** Path under which all assets are served. */
export const ASSETS = "/connect/assets"

const version = (content: string) => hash("sha256", content, "base64url").slice(0, 12)

const accentName = /^accent-([0-9a-f]{6})-([\w-]{12})\.css$/

/** The static files of the hosted pages. A name contains the version of its content, so that browsers may keep it for ever. */
export class Assets extends Context.Service<
  Assets,
  {
    readonly paths: AssetPaths
    /** The file of a name; undefined if there is none. A name of another version still leads to the present one. */
    readonly find: (name: string) => Asset | undefined
  }
>()("@edp/server/Assets") {
  static readonly layer = Layer.effect(
    Assets,
    Effect.sync(() => {
      const files: Readonly<Record<string, Asset>> = {
        css: { contentType: "text/css; charset=utf-8", content: built.styles },
        js: { contentType: "text/javascript; charset=utf-8", content: built.script },
        svg: { contentType: "image/svg+xml", content: built.icon }
      }
      const nameFile = (extension: string) => `connect-${version(files[extension]!.content)}.${extension}`
      const named = (extension: string) => `${ASSETS}/${nameFile(extension)}`
      // The accents' version is that of the code that makes them.
      const accents = version(accentStyles("#000000"))
      return {
        paths: {
          styles: named("css"),
          script: named("js"),
          icon: named("svg"),
          accent: (hex) => `${ASSETS}/accent-${hex.slice(1).toLowerCase()}-${accents}.css`
        },
        find: (name) => {
          const accent = accentName.exec(name)?.[1]
          if (accent !== undefined)
            return { contentType: files["css"]!.contentType, content: accentStyles(`#${accent}`) }
          const extension = /^connect-[\w-]{12}\.(css|js|svg)$/.exec(name)?.[1]
          return extension === undefined ? undefined : files[extension]
        }
      }
    })
  )
}
