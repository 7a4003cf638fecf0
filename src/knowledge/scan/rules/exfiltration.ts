import type { ScanRule } from "../scan-rule.ts";

const SECRET_NAME = String.raw`\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)\w*`;
const SECRET_FILE = String.raw`(?:\.env(?!\.(?:example|sample|template|dist))\b|\.ssh/|id_(?:rsa|ed25519|ecdsa|dsa)\b|\.aws/(?:credentials|config)|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.gnupg|\.kube/config|\.docker/config\.json|auth\.json|credentials(?:\.json|\b)|/etc/shadow|wallet\.dat|keychain|login\.keychain|cookies\.sqlite|Login Data)`;
const SENDER = String.raw`(?:curl|wget|nc|ncat|netcat|socat|http|xh|scp|rsync|ftp|telnet|Invoke-WebRequest|iwr|Invoke-RestMethod)`;

/** What carries the owner's secrets away, or opens a door for somebody else. */
export const EXFILTRATION_RULES: readonly ScanRule[] = [
  {
    id: "send-secret-variable",
    kind: "exfiltration",
    commands: [
      // In an address, or in the body. In a header of its own it is how a key is meant to be used.
      new RegExp(
        String.raw`\b(?:curl|wget|Invoke-WebRequest|iwr|http|xh)\b[^\n|;]{0,200}https?://[^\s"'|;]{0,200}\$(?:env:)?[\{(]?${SECRET_NAME}`,
        "iu",
      ),
      new RegExp(
        String.raw`\b(?:curl|wget)\b[^\n|;]{0,200}\s(?:-d|-F|--data(?:-\w+)?|--form|--post-data|--body-data)[\s=]+["']?[^\n|;]{0,120}\$[\{(]?${SECRET_NAME}`,
        "u",
      ),
      new RegExp(
        String.raw`\b(?:env|printenv|export -p|set)\b(?:\s*\|\s*[^\n|]{1,80}){0,3}\s*\|\s*(?:\S*/)?${SENDER}\b`,
        "iu",
      ),
      new RegExp(String.raw`\b${SENDER}\b[^\n]{0,200}(?:\$\(|\x60)\s*(?:env|printenv)\b`, "iu"),
      new RegExp(
        String.raw`(?:fetch|axios\.\w+|requests\.\w+|urlopen)\(\s*[fr]?["'\x60]https?://[^\n]{0,200}(?:process\.env|os\.environ|\$\{?${SECRET_NAME})`,
        "u",
      ),
    ],
  },
  {
    id: "send-secret-file",
    kind: "exfiltration",
    commands: [
      new RegExp(
        String.raw`\b(?:cat|base64|tar|zip|gzip|head|tail|less|type|Get-Content|gc|xxd|openssl)\b[^\n|;]{0,120}${SECRET_FILE}[^\n]{0,120}\|\s*(?:\S*/)?${SENDER}\b`,
        "iu",
      ),
      new RegExp(
        String.raw`\b(?:curl|wget|http|xh)\b[^\n|;]{0,200}(?:@|-T\s*|--upload-file[\s=]+|--post-file[\s=]+|<\s*)[~$\w./"'-]{0,80}${SECRET_FILE}`,
        "iu",
      ),
      new RegExp(String.raw`\b(?:scp|rsync|sftp)\b[^\n|;]{0,80}${SECRET_FILE}[^\n|;]{0,40}\s\S+@[\w.-]+:`, "iu"),
      new RegExp(String.raw`\b${SENDER}\b[^\n]{0,200}(?:\$\(|\x60)\s*(?:cat|base64|<)[^\n)]{0,80}${SECRET_FILE}`, "iu"),
    ],
  },
  {
    id: "send-secrets",
    kind: "exfiltration",
    words: [
      "~(?:send|upload|post|forward|e-?mail|exfiltrate|transmit|leak|submit|deliver|copy|mail|publish|paste|report|append)(?: me| us)? .{0,60}(?:credentials|passwords|api keys|secrets|private keys?|ssh keys?|\\.env~|environment variables|env vars|access tokens|auth tokens|seed phrase|recovery phrase|conversation history|chat history|chat logs?|system prompt|memory files?|memories|auth\\.json|cookies|owner.?s data|user.?s data|personal data).{0,60} (?:to|at|via|into|onto) .{0,30}(?:https?://|www\\.|\\p{L}[\\w.+-]*@|webhook|pastebin|\\d{1,3}\\.\\d{1,3}\\.\\d|attacker|\\p{L}[\\w-]*\\.(?:com|net|org|io|xyz|ru|cn|tk|top|site|example|evil)~)",
      "~(?:schick|schicke|sende|senden sie|lade|übermittle|leite|maile) .{0,50}(?:passwörter|zugangsdaten|api-schlüssel|geheimnisse|private schlüssel|umgebungsvariablen|\\.env~|gesprächsverlauf|chatverlauf).{0,40} (?:an|auf|nach|zu) .{0,30}(?:https?://|[\\w.+-]+@|\\p{L}[\\w-]*\\.(?:com|net|org|de|io|xyz))",
      "~(?:envoie|envoyez|transmets|transmettez|publie|téléverse) .{0,50}(?:mots de passe|identifiants|clés|secrets|variables d.?environnement|\\.env~|historique).{0,40} (?:à|vers|sur) .{0,30}(?:https?://|[\\w.+-]+@|\\p{L}[\\w-]*\\.(?:com|net|org|fr|io|xyz))",
      "~(?:envía|envíe|enviar|manda|sube|publica|reenvía) .{0,50}(?:contraseñas|credenciales|claves|secretos|variables de entorno|\\.env~|historial).{0,40} (?:a|en) .{0,30}(?:https?://|[\\w.+-]+@|\\p{L}[\\w-]*\\.(?:com|net|org|es|io|xyz))",
      "~(?:отправь|отправьте|отправляй|перешли|перешлите|загрузи|выложи) .{0,50}(?:парол|ключи|ключ api|токены|секрет|учётные данные|учетные данные|переменные окружения|\\.env~|историю).{0,40} (?:на|по|в) .{0,30}(?:https?://|[\\w.+-]+@|\\p{L}[\\w-]*\\.(?:com|net|org|ru|io|xyz))",
      "(?:把|将|將|发送|發送|上传|上傳|转发|轉發).{0,25}(?:密码|密碼|密钥|密鑰|凭据|憑證|凭证|令牌|环境变量|聊天记录|私钥|\\.env).{0,20}(?:发送|發送|上传|上傳|发|到|至|给).{0,15}(?:https?://|[\\w.+-]+@|\\w[\\w-]*\\.(?:com|net|org|cn|io|xyz))",
    ],
  },
  {
    id: "image-beacon",
    kind: "exfiltration",
    commands: [
      /!\[[^\]\n]{0,100}\]\(\s*https?:\/\/[^\s)]{0,200}[?&/=](?:[^\s)]{0,60})(?:\{\{?|\$\{|\$\(|<|%7B|\[)\s*(?:\w{0,30}(?:data|secret|key|token|password|conversation|history|prompt|memory|message|content|input|summary|env))/iu,
      /<img\b[^>]{0,200}src=["']https?:\/\/[^"'>]{0,200}[?&=](?:\{\{?|\$\{|\[)\s*\w{0,30}(?:data|secret|key|token|password|conversation|history|prompt|memory)/iu,
    ],
    words: [
      "~(?:render|include|embed|insert|add|show|display|load|fetch|request) .{0,40}(?:image|picture|pixel|link|url)~.{0,60}https?://.{0,80}(?:with|append|followed by|containing|replac\\p{L}+|where) .{0,60}(?:conversation|secret|key|password|token|history|memory|prompt|personal|private)",
    ],
  },
  {
    id: "hidden-command",
    kind: "exfiltration",
    commands: [
      /\bbase64\b[^\n|;]{0,40}\s(?:-d|-D|--decode)\b[^\n|;]{0,60}\|\s*(?:sudo\s+)?(?:\S*\/)?(?:ba|z|da|k)?sh\b/iu,
      /\b(?:eval|exec|(?:ba|z)?sh\s+-c)\b[^\n]{0,40}(?:\$\(|\x60|\()[^\n]{0,200}\b(?:base64|b64decode|atob)\b/iu,
      /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,80}\s-(?:e|ec|enc|encodedcommand)\s+[A-Za-z0-9+/=]{16,}/iu,
      /\bxxd\s+-r\b[^\n|]{0,60}\|\s*(?:ba|z)?sh\b/iu,
    ],
  },
  {
    id: "open-door",
    kind: "exfiltration",
    commands: [
      /\/dev\/(?:tcp|udp)\/[\w.$-]{1,80}\/\w{1,5}/iu,
      /\b(?:nc|ncat|netcat)\b[^\n|;]{0,80}\s(?:-\w*[ec]\w*|--exec|--sh-exec)\s+\S*\b(?:ba|z|k)?sh\b/iu,
      /\bmkfifo\b[^\n]{0,120}\|\s*(?:\S*\/)?(?:nc|ncat|netcat)\b/iu,
      /(?:>>?|\btee\s+(?:-a\s+)?)\s*["']?[~$\w./{}-]{0,60}\.ssh\/authorized_keys/iu,
    ],
    words: [
      "~(?:add|append|write|put|insert|install|echo) .{0,80}(?:ssh|public|pub)[ -]?key .{0,60}authorized_?keys~",
      "~(?:add|append|write|put|insert|install) .{0,80}ssh-(?:rsa|ed25519) .{0,200}authorized_?keys~",
    ],
  },
];
