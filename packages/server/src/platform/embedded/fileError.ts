import { StartError } from "../StartError.ts"

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "there is a file of that name",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up"
}

/** One line out of whatever a file operation threw. */
export const explainFileError =
  (attempt: string) =>
  (error: unknown): StartError => {
    if (error instanceof StartError) return error
    const { code, message } = error as NodeJS.ErrnoException
    return new StartError({ message: `cannot ${attempt}: ${(code && reasons[code]) ?? message}` })
  }
