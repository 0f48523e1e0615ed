// Scripts that try to hang, crash or escape a sandboxed state, of the same kinds as those in Scripts/. Each must end
// within its limit and leave the state usable.

let hostileScripts =
  stopping.map { Attack($0, .stops, code: $1) } + finishing.map { Attack($0, .finishes, code: $1) }
  + ending.map { Attack($0, .ends, code: $1) }
  + failing.flatMap { message, scripts in scripts.map { Attack($0, .fails([message]), code: $1) } }

private let stopping: KeyValuePairs = [
  "byte char": #"while true do string.char(('x'):rep(1e5):byte(1,-1)) end"#,
  "close after error": #"local c<close> = setmetatable({},{__close=function() while true do end end}) error('x')"#,
  "close errors chain":
    #"local function f() local c<close> = setmetatable({},{__close=function() f() end}) error('x') end f()"#,
  "close many":
    #"local function f(n) local c<close> = setmetatable({},{__close=function() while true do end end}) if n>0 then return (f(n-1)) end while true do end end f(150)"#,
  "co close hooks off":
    #"local co=coroutine.wrap(function() local c<close> = setmetatable({},{__close=function() while true do end end}) while true do end end) co()"#,
  "co close killed":
    #"K=coroutine.create(function() local c<close> = setmetatable({},{__close=function() while true do end end}) while true do end end) coroutine.resume(K)"#,
  "co close loop":
    #"local co=coroutine.create(function() local c<close> = setmetatable({},{__close=function() while true do end end}) coroutine.yield() end) coroutine.resume(co) coroutine.close(co)"#,
  "co fanout dead": #"while true do local c=coroutine.wrap(function() coroutine.yield() end) c() end"#,
  "co nested wrap": #"local function f() local c=coroutine.wrap(f) while true do pcall(c) end end f()"#,
  "co wrap in wrap loop":
    #"coroutine.wrap(function() coroutine.wrap(function() while true do pcall(function() while true do end end) end end)() end)()"#,
  "concat empty": #"return #table.concat(setmetatable({},{__index=function() return '' end}),'',1,1e9)"#,
  "concat len":
    #"return table.concat(setmetatable({},{__len=function() return math.maxinteger end,__index=function() return '' end}))"#,
  "find balance": #"local s=('('):rep(1e6) return s:find('%b()')"#,
  "find nested star": #"return (('a'):rep(30)):find(('a*'):rep(30)..'b')"#,
  "find set long": #"local s=('a'):rep(1e5) return s:find('['..('b'):rep(1e5)..']')"#,
  "for float": #"for i=1,math.huge,0.5 do end"#,
  "gc pressure": #"local keep={} for i=1,4e5 do keep[i]={i} end while true do local x={{},{},{}} end"#,
  "gmatch back": #"for w in (('a'):rep(1e6)):gmatch('(.-)%1b') do end"#,
  "goto loop": #"::a:: goto a"#,
  "gsub anchor many": #"local s=('a'):rep(1e6) return s:gsub('(a-)(a-)(a-)(a-)b','%1')"#,
  "gsub fn loop": #"('a'):gsub('.',function() while true do end end)"#,
  "gsub grow": #"local s='a' while true do s=s:gsub('.','%0%0') end"#,
  "gsub tbl index": #"('a'):gsub('.',setmetatable({},{__index=function() while true do end end}))"#,
  "insert len2":
    #"table.insert(setmetatable({},{__len=function() return 6e7//1|0 end,__index=rawlen and function() end}),1,1)"#,
  "load reader endless": #"load(function() return 'a=1 ' end)"#,
  "load reader loop": #"load(function() while true do end end)"#,
  "load storm": #"while true do load('return 1') end"#,
  "mem closures": #"local t={} for i=1,1e9 do t[i]=function() return t end end"#,
  "mem co stack": #"local function f(...) return f(1,...) end f()"#,
  "mem hash": #"local t={} for i=1,1e9 do t['k'..i]=i end"#,
  "mem pcall": #"while true do pcall(function() local t={} for i=1,1e9 do t[i]=i end end) end"#,
  "mem strings": #"local t={} for i=1,1e9 do t[i]=('x'):rep(100)..i end"#,
  "mem vararg":
    #"local function f(...) return select('#',...,...) end local t={} for i=1,2e5 do t[i]=i end while true do f(table.unpack(t)) end"#,
  "move rawequal": #"table.move(setmetatable({},{__index={} ,__newindex=rawequal}),1,6e7//1|0,2)"#,
  "next quadratic":
    #"local t={} for i=1,3e5 do t[i..'']=1 end for i=1,3e5 do t[i..'']=nil end while true do next(t) end"#,
  "next storm": #"local t={} for i=1,1e5 do t[i]=i end while true do for k in next,t do end end"#,
  "os clock loop": #"while os.clock()<1e9 do end"#,
  "pcall error storm": #"while true do pcall(pcall,pcall,error,{}) end"#,
  "rawset g":
    #"for k in pairs(_G) do if k~='pcall' and k~='_G' then _G[k]=nil end end while true do pcall(function() while true do end end) end"#,
  "rep many": #"while true do local s=('ab'):rep(1e7) end"#,
  "repeat loop": #"repeat until false"#,
  "sort c cmp": #"table.sort(setmetatable({},{__len=function() return 6e7//1|0 end}),rawequal)"#,
  "str hash": #"local t={} local s=('a'):rep(1e7) while true do t[s..'b']=1 end"#,
  "str lt nul loop": #"local a=('\0'):rep(2.9e7) local b=a..'x' while true do local _=a<b end"#,
  "str upper storm": #"local s=('a'):rep(1e7) while true do s:upper() end"#,
  "string index": #"string.x=function() while true do end end return ('a'):x()"#,
  "tostring loop": #"tostring(setmetatable({},{__tostring=function() while true do end end}))"#,
  "unpack index":
    #"return select('#',table.unpack(setmetatable({},{__index=function() while true do end end}),1,100))"#,
  "unpack rep": #"while true do select('#',table.unpack({},1,2e5)) end"#,
  "utf8 len storm": #"local s=('ä'):rep(1e7) while true do utf8.len(s) end"#,
  "utf8 offset": #"local s=('ä'):rep(1e7) while true do utf8.offset(s,-9e6) end"#,
  "weak thrash": #"local t=setmetatable({},{__mode='v'}) while true do t[#t+1]={} end"#,
  "xpcall deep swallow":
    #"local function f() while true do xpcall(f,function() while true do pcall(f) end end) end end f()"#,
  "xpcall handler loop": #"xpcall(error,function() while true do end end)"#,
]

private let finishing: KeyValuePairs = [
  "co close chain":
    #"local function mk(n) local co=coroutine.create(function() local c<close> = setmetatable({},{__close=function() mk(n+1) end}) coroutine.yield() end) coroutine.resume(co) coroutine.close(co) end mk(1)"#,
  "co close in close":
    #"local a,b a=coroutine.create(function() local x<close> =setmetatable({},{__close=function() coroutine.close(b) end}) coroutine.yield() end) b=coroutine.create(function() local x<close> =setmetatable({},{__close=function() coroutine.close(a) end}) coroutine.yield() end) coroutine.resume(a) coroutine.resume(b) coroutine.close(a) return 'done'"#,
  "co close self":
    #"local co co=coroutine.create(function() return coroutine.close(co) end) local ok,e=coroutine.resume(co) return e"#,
  "co close wrap mix":
    #"local function mk() local co=coroutine.create(function() local c<close> = setmetatable({},{__close=function() local function d(n) if n==0 then return mk() end return coroutine.wrap(d)(n-1) end d(150) end}) coroutine.yield() end) coroutine.resume(co) coroutine.close(co) end mk()"#,
  "date bad": #"return pcall(os.date,'%Ez')"#,
  "date fmt": #"return pcall(os.date,('%c'):rep(1e6))"#,
  "for step zero": #"return pcall(load,'for i=1,2,0 do end')"#,
  "load break bomb": #"return load('while true do '..('break;'):rep(32000)..' end')"#,
  "load concat chain": #"return select(2,load('return '..('a..'):rep(1e5)..'a'))"#,
  "load goto bomb":
    #"local t={'do '} for i=1,32000 do t[#t+1]='goto a ' end t[#t+1]=' end ::a::' return load(table.concat(t))"#,
  "load locals": #"local t={} for i=1,300 do t[#t+1]='local a'..i..'=1 ' end return select(2,load(table.concat(t)))"#,
  "load nest fn": #"return select(2,load(('return function() '):rep(1e4)))"#,
  "load nest not": #"return select(2,load('return '..('not '):rep(1e5)..'1'))"#,
  "load nest table": #"return select(2,load('return '..('{'):rep(1e5)))"#,
  "load nest unop": #"return select(2,load('return '..('-'):rep(1e5)..'1'))"#,
  "load nested reader": #"local function r() return load(r) and nil end return load(r)"#,
  "load pow chain": #"return select(2,load('return '..('2^'):rep(1e5)..'2'))"#,
  "load reader bytecode":
    #"local b='\27Lua' local first=true return load(function() if first then first=false return b end end,'x','b')"#,
  "match complex": #"return pcall(string.match,('a'):rep(1000),('(a'):rep(40))"#,
  "match deep": #"return pcall(string.match,('a'):rep(1000),('a?'):rep(1000))"#,
  "math random big": #"return pcall(math.random,math.mininteger,math.maxinteger)"#,
  "pack c": #"return pcall(string.pack,'c2147483647','')"#,
  "packsize": #"return pcall(string.packsize,('c999999'):rep(9000))"#,
  "rep sep": #"return #(''):rep(1e9,'')"#,
  "require absent":
    #"return require==nil and io==nil and debug==nil and package==nil and os.exit==nil and dofile==nil"#,
  "select neg": #"return pcall(select,-1e9//1|0,1)"#,
  "setmt concat later":
    #"local m={} local o=setmetatable({},m) m.__concat=function() return 'pwned' end return pcall(function() return o..'x' end)"#,
  "setmt meta meta":
    #"local m=setmetatable({},{__index=function(_,k) if k=='__gc' then return function() while true do end end end end}) setmetatable({},m) return 'ok'"#,
  "sort grow": #"local t={3,2,1} table.sort(t,function(a,b) for i=1,100 do t[#t+1]=i end return a<b end)"#,
  "sort nil":
    #"local t={3,2,1,5,6} pcall(table.sort,t,function(a,b) for i=1,5 do t[i]=nil end return (a or 0)<(b or 0) end) return 'ok'"#,
  "unpack wide": #"return pcall(table.unpack,{},math.mininteger,math.maxinteger)"#,
  "utf8 char many": #"return #utf8.char(table.unpack({},1,0)),pcall(utf8.char,-1)"#,
  "utf8 garbage":
    #"for i=0,255 do pcall(function() for p,c in utf8.codes(string.char(i):rep(10)) do end end) end return 'ok'"#,
  "xpcall handler err": #"return xpcall(error,function(e) error(e) end)"#,
  "xpcall in xpcall": #"local function h() return xpcall(error,h) end return xpcall(error,h)"#,
]

private let ending: KeyValuePairs = [
  "arith str": #"local s=('1'):rep(3e7) return s+0"#,
  "call self deep": #"local f=print for i=1,1e5 do f=setmetatable({},{__call=f}) end f()"#,
  "co fanout":
    #"local t={} for i=1,1e9 do t[i]=coroutine.create(function() while true do coroutine.yield() end end) coroutine.resume(t[i]) end"#,
  "eph chain":
    #"local o={} for i=1,150000 do o[i]={} end for i=1,150000 do local j=math.random(i) o[i],o[j]=o[j],o[i] end local t=setmetatable({},{__mode='k'}) for i=1,149999 do t[o[i]]=o[i+1] end local first=o[1] o=nil while true do local x={} end"#,
  "eph many":
    #"local root={} do local prev=root local list={} for i=1,60000 do local k={} list[i]=k end for i=1,60000 do local j=math.random(i) list[i],list[j]=list[j],list[i] end W={} for i=1,59999 do local w=setmetatable({},{__mode='k'}) w[list[i]]=list[i+1] W[i]=w end R=list[1] end while true do local x={} end"#,
  "error name huge": #"error(setmetatable({},{__name=('x'):rep(1e7)}))"#,
  "error name number": #"error(setmetatable({},{__name=42}))"#,
  "error tostring loop": #"error(setmetatable({},{__tostring=function() while true do end end}))"#,
  "find frontier": #"local s=('a '):rep(1e6) return s:find('%f[b].-%f[c].-%f[d]')"#,
  "find plain quad": #"local s=('a'):rep(6e6) return s:find(('a'):rep(3e6)..'b',1,true)"#,
  "fmt percent bomb": #"local f=('%%'):rep(15e6) return #string.format(f)"#,
  "fmt q big": #"local s=('\0'):rep(7e6) while true do string.format('%q',s) end"#,
  "index chain": #"local t={} for i=1,1e5 do t=setmetatable({},{__index=t}) end return t.x"#,
  "load consts":
    #"local t={'return {'} for i=1,300000 do t[#t+1]=i..'.5,' end t[#t+1]='}' return type(load(table.concat(t)))"#,
  "load elseif":
    #"local t={'if a then '} for i=1,250000 do t[#t+1]='elseif a then ' end t[#t+1]=' end' return load(table.concat(t))"#,
  "load label bomb": #"local t={} for i=1,30000 do t[#t+1]='::l'..i..'::' end return load(table.concat(t))"#,
  "load long string": #"return load('return '..('['..('='):rep(1e6)..'[x'))"#,
  "load reader one byte": #"local n=0 return load(function() n=n+1 if n<3e6 then return ' ' end end)"#,
  "move c index": #"table.move(setmetatable({},{__index=rawlen}),1,6e7//1|0,2)"#,
  "pack x": #"return pcall(string.pack,('x'):rep(1e7))"#,
  "setmt gc later":
    #"local m={} local o=setmetatable({},m) m.__gc=function() while true do end end o=nil for i=1,1e6 do local x={} end return 'ok'"#,
  "sort random":
    #"local t={} for i=1,2e5 do t[i]=i end pcall(table.sort,t,function() return math.random()>0.5 end) return 'ok'"#,
  "sort true": #"local t={} for i=1,2e5 do t[i]=i end table.sort(t,function() return true end)"#,
  "str lt nul": #"local a,b=('\0'):rep(3e7),('\0'):rep(3e7-1) return a<b"#,
  "tonumber base": #"return tonumber(('1'):rep(3e7),10)"#,
  "tonumber big": #"return tonumber(('1'):rep(3e7))"#,
  "utf8 codes loop": #"for p,c in utf8.codes(('\x80'):rep(3e7)) do end return 'ok'"#,
]

/// By the message of the error.
private let failing: KeyValuePairs<String, KeyValuePairs<String, String>> = [
  "C stack overflow": [
    "call chain": #"local t=setmetatable({},{}) local m={} m.__call=t setmetatable(t,m) t()"#,
    "eq rec": #"local m={} m.__eq=function(a,b) return a==b end return setmetatable({},m)==setmetatable({},m)"#,
    "fmt chain":
      #"local t=setmetatable({},{__tostring=function(t) return string.format('%s',t) end}) return string.format('%s',t)"#,
    "gsub rec": #"local function f(s) return s:gsub('.',f) end return f('a')"#,
    "index fn rec": #"local t=setmetatable({},{__index=function(t,k) return t[k..'x'] end}) return t.a"#,
    "lt sort rec":
      #"local m={} m.__lt=function(a,b) table.sort({setmetatable({},m),setmetatable({},m)}) end table.sort({setmetatable({},m),setmetatable({},m)})"#,
    "newindex loop": #"local t=setmetatable({},{__newindex=function(t,k,v) t[k+1]=v end}) t[1]=1"#,
  ],
  "invalid value (nil) at index -9223372036854775808 in table for 'concat'": [
    "concat range": #"return table.concat({},'',math.mininteger,math.maxinteger)"#
  ],
  "bad argument #3 to 'format' (no value)": [
    "fmt args": #"return string.format(('%d'):rep(1e5),1)"#
  ],
  "invalid conversion specification: '%1000d'": [
    "fmt width": #"return string.format('%1000d',1)"#
  ],
  "invalid conversion specification: '%1000a'": [
    "fmt width of a": #"return string.format('%1000a','x')"#
  ],
  "'__index' chain too long; possible loop": [
    "index loop": #"local a=setmetatable({},{}) local m={} m.__index=a setmetatable(a,m) return a.x"#
  ],
  "too many elements to move": [
    "insert len": #"table.insert(setmetatable({},{__len=function() return math.maxinteger-1 end}),1,1)"#
  ],
  "attempt to yield across a C-call boundary": [
    "sort co yield": #"return coroutine.wrap(function() table.sort({3,2,1},function() coroutine.yield() end) end)()"#
  ],
]
